/* SPDX-License-Identifier: MIT */
/* A recursive-descent compiler into a tree, which is walked for each position. */
#include "analyze/where.h"

#include "core/quote.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum operation {
    NUMBER,
    TEXT,
    FIELD,
    NEGATE,
    NOT,
    MULTIPLY,
    DIVIDE,
    REMAINDER,
    ADD,
    SUBTRACT,
    EQUAL,
    UNEQUAL,
    LESS,
    AT_MOST,
    MORE,
    AT_LEAST,
    AND,
    OR
};

struct node {
    enum operation operation;
    bool is_text;
    unsigned left, right; /* operands: indices of nodes */
    double number;
    const char *text; /* of a TEXT: without its quotes */
    size_t length;
    const struct pm_record_field *field;
    size_t column;
};

#define MAX_NODES 256
#define MAX_DEPTH 64 /* of parentheses and signs */

struct pm_where {
    struct node nodes[MAX_NODES];
    unsigned count;
    unsigned root;
    unsigned parts;
};

struct compiler {
    struct pm_where *where;
    struct pm_error *error;
    const char *text;
    const char *at;
    unsigned depth;
};

/* ---- Compiling: functions return false after the error was described ---- */

__attribute__((format(printf, 4, 5))) static bool
refuse(const struct compiler *compiler, size_t column, size_t length, const char *format, ...)
{
    char detail[300];
    char quoted[PM_QUOTE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    const char *const seen =
        length > 0 ? pm_quote(&compiler->text[column - 1], length, quoted) : "the end";
    pm_fail(compiler->error, PM_ERROR_ARGUMENT, "column %zu: %s: %s", column, seen, detail);
    return false;
}

static size_t column_of(const struct compiler *compiler)
{
    return (size_t)(compiler->at - compiler->text) + 1;
}

static void skip_blanks(struct compiler *compiler)
{
    while (isspace((unsigned char)*compiler->at))
        compiler->at++;
}

/* Refuses what stands at the present place: a word, or one character. */
static bool refuse_here(struct compiler *compiler, const char *wanted)
{
    skip_blanks(compiler);
    const char *end = compiler->at;
    while (isalnum((unsigned char)*end) || *end == '_')
        end++;
    if (end == compiler->at && *end != '\0')
        end++;
    return refuse(compiler, column_of(compiler), (size_t)(end - compiler->at), "%s", wanted);
}

static bool add_node(struct compiler *compiler, struct node node, unsigned *index)
{
    struct pm_where *const where = compiler->where;
    if (where->count == MAX_NODES)
        return refuse(compiler, node.column, 1, "the expression is too long: at most %d parts",
                      MAX_NODES);
    where->nodes[where->count] = node;
    *index = where->count++;
    return true;
}

static const struct node *node_at(const struct compiler *compiler, unsigned index)
{
    return &compiler->where->nodes[index];
}

/* Where an operand is a number only: arithmetic, conditions. */
static bool want_number(const struct compiler *compiler, unsigned index, const char *for_what)
{
    const struct node *const node = node_at(compiler, index);
    if (!node->is_text)
        return true;
    return refuse(compiler, node->column, node->length + (node->operation == TEXT ? 2 : 0),
                  "a text can't be %s; texts are compared by == and !=", for_what);
}

struct operator_text {
    const char *text;
    enum operation operation;
};

/* Longer ones first. Each level ends with a NULL text. */
static const struct operator_text or_operators[] = {{"||", OR}, {NULL, OR}};
static const struct operator_text and_operators[] = {{"&&", AND}, {NULL, AND}};
static const struct operator_text comparisons[] = {
    {"==", EQUAL}, {"!=", UNEQUAL}, {"<=", AT_MOST}, {">=", AT_LEAST},
    {"<", LESS},   {">", MORE},     {NULL, EQUAL}};
static const struct operator_text sums[] = {{"+", ADD}, {"-", SUBTRACT}, {NULL, ADD}};
static const struct operator_text products[] = {
    {"*", MULTIPLY}, {"/", DIVIDE}, {"%", REMAINDER}, {NULL, MULTIPLY}};

/* Takes one of the operators if it stands here. */
static bool take_operator(struct compiler *compiler, const struct operator_text operators[],
                          struct node *node)
{
    skip_blanks(compiler);
    for (; operators->text != NULL; operators++) {
        const size_t length = strlen(operators->text);
        if (strncmp(compiler->at, operators->text, length) != 0)
            continue;
        *node = (struct node){
            .operation = operators->operation, .column = column_of(compiler), .length = length};
        compiler->at += length;
        return true;
    }
    return false;
}

static bool compile_or(struct compiler *compiler, unsigned *index);

static bool compile_number(struct compiler *compiler, unsigned *index)
{
    char *end;
    const size_t column = column_of(compiler);
    const double number = strtod(compiler->at, &end);
    const size_t length = (size_t)(end - compiler->at);
    if (isalnum((unsigned char)*end) || *end == '_' || *end == '.' || !isfinite(number) ||
        memchr(compiler->at, 'x', length) != NULL || memchr(compiler->at, 'X', length) != NULL)
        return refuse(compiler, column, strcspn(compiler->at, " \t()<>=!&|+-*/%"),
                      "a number is written like 3 or 2.5");
    compiler->at = end;
    return add_node(
        compiler,
        (struct node){.operation = NUMBER, .number = number, .column = column, .length = length},
        index);
}

static bool compile_text(struct compiler *compiler, unsigned *index)
{
    const char quote = *compiler->at;
    const size_t column = column_of(compiler);
    const char *const start = compiler->at + 1;
    const char *const end = strchr(start, quote);
    if (end == NULL)
        return refuse(compiler, column, strlen(compiler->at), "no closing %c", quote);
    compiler->at = end + 1;
    return add_node(compiler,
                    (struct node){.operation = TEXT,
                                  .is_text = true,
                                  .text = start,
                                  .length = (size_t)(end - start),
                                  .column = column},
                    index);
}

static bool refuse_name(const struct compiler *compiler, size_t column, size_t length)
{
    const char *const name = &compiler->text[column - 1];
    const struct pm_record_field *const nearest = pm_field_nearest(name, length);
    if (nearest != NULL)
        return refuse(compiler, column, length, "no field has this name; is \"%s\" meant?",
                      nearest->name);
    return refuse(compiler, column, length,
                  "no field has this name: --fields list shows them all; a text stands in quotes, "
                  "and is &&, or is ||, not is !");
}

static bool compile_field(struct compiler *compiler, unsigned *index)
{
    const char *end = compiler->at;
    const size_t column = column_of(compiler);
    while (isalnum((unsigned char)*end) || *end == '_')
        end++;
    const size_t length = (size_t)(end - compiler->at);
    const struct pm_record_field *const field = pm_field_find(compiler->at, length);
    if (field == NULL)
        return refuse_name(compiler, column, length);
    compiler->at = end;
    compiler->where->parts |= field->parts;
    return add_node(compiler,
                    (struct node){.operation = FIELD,
                                  .is_text = field->is_text,
                                  .field = field,
                                  .column = column,
                                  .length = length},
                    index);
}

static bool compile_parenthesis(struct compiler *compiler, unsigned *index)
{
    const size_t column = column_of(compiler);
    compiler->at++;
    if (!compile_or(compiler, index))
        return false;
    skip_blanks(compiler);
    if (*compiler->at != ')')
        return *compiler->at == '\0' ? refuse(compiler, column, 1, "no closing parenthesis")
                                     : refuse_here(compiler, "an operator or ) is needed here");
    compiler->at++;
    return true;
}

static bool compile_sign(struct compiler *compiler, unsigned *index);

/* A sign or a "!" and its operand. */
static bool compile_prefix(struct compiler *compiler, enum operation operation,
                           bool (*operand)(struct compiler *, unsigned *), unsigned *index)
{
    struct node node = {.operation = operation, .column = column_of(compiler), .length = 1};
    compiler->at++;
    return operand(compiler, &node.left) &&
           want_number(compiler, node.left, operation == NOT ? "a condition" : "a number") &&
           add_node(compiler, node, index);
}

static bool compile_primary(struct compiler *compiler, unsigned *index)
{
    const char c = *compiler->at;
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)compiler->at[1])))
        return compile_number(compiler, index);
    if (c == '"' || c == '\'')
        return compile_text(compiler, index);
    if (isalpha((unsigned char)c) || c == '_')
        return compile_field(compiler, index);
    if (c == '(')
        return compile_parenthesis(compiler, index);
    if (c == '-')
        return compile_prefix(compiler, NEGATE, compile_sign, index);
    return refuse_here(compiler, "a number, a field, a text in quotes, - or ( is needed here");
}

static bool compile_sign(struct compiler *compiler, unsigned *index)
{
    skip_blanks(compiler);
    if (compiler->depth == MAX_DEPTH)
        return refuse(compiler, column_of(compiler), 1, "nested more than %d deep", MAX_DEPTH);
    compiler->depth++;
    const bool compiled = compile_primary(compiler, index);
    compiler->depth--;
    return compiled;
}

/* operand { operator operand }, for the operators of one level that need numbers. */
static bool compile_level(struct compiler *compiler, const struct operator_text operators[],
                          bool (*operand)(struct compiler *, unsigned *), const char *for_what,
                          unsigned *index)
{
    struct node node;
    if (!operand(compiler, index))
        return false;
    while (take_operator(compiler, operators, &node)) {
        node.left = *index;
        if (!operand(compiler, &node.right) || !want_number(compiler, node.left, for_what) ||
            !want_number(compiler, node.right, for_what) || !add_node(compiler, node, index))
            return false;
    }
    return true;
}

static bool compile_product(struct compiler *compiler, unsigned *index)
{
    return compile_level(compiler, products, compile_sign, "reckoned with", index);
}

static bool compile_sum(struct compiler *compiler, unsigned *index)
{
    return compile_level(compiler, sums, compile_product, "reckoned with", index);
}

/* A field that has only some texts is not compared with another one. */
static bool check_choice(const struct compiler *compiler, const struct node *field,
                         const struct node *text)
{
    char choices[160] = "";
    if (field->operation != FIELD || text->operation != TEXT || field->field->choice == NULL)
        return true;
    const char *choice;
    for (unsigned i = 0; (choice = field->field->choice(i)) != NULL; i++) {
        if (strlen(choice) == text->length && memcmp(choice, text->text, text->length) == 0)
            return true;
        const size_t used = strlen(choices);
        snprintf(&choices[used], sizeof choices - used, "%s\"%s\"", i > 0 ? ", " : "", choice);
    }
    return refuse(compiler, text->column, text->length + 2, "%s is one of %s", field->field->name,
                  choices);
}

static bool check_comparison(const struct compiler *compiler, const struct node *node)
{
    const struct node *const left = node_at(compiler, node->left);
    const struct node *const right = node_at(compiler, node->right);
    if (left->is_text != right->is_text)
        return refuse(compiler, node->column, node->length,
                      "a text is compared with a number; %s is a %s",
                      left->operation == FIELD ? left->field->name : "the left side",
                      left->is_text ? "text" : "number");
    if (left->is_text && node->operation != EQUAL && node->operation != UNEQUAL)
        return refuse(compiler, node->column, node->length,
                      "texts can be compared by == and != alone");
    return check_choice(compiler, left, right) && check_choice(compiler, right, left);
}

static bool compile_comparison(struct compiler *compiler, unsigned *index)
{
    struct node node, second;
    if (!compile_sum(compiler, index))
        return false;
    if (!take_operator(compiler, comparisons, &node))
        return true;
    node.left = *index;
    if (!compile_sum(compiler, &node.right) || !check_comparison(compiler, &node) ||
        !add_node(compiler, node, index))
        return false;
    if (take_operator(compiler, comparisons, &second))
        return refuse(compiler, second.column, second.length,
                      "comparisons make no chain: write a < b && b < c");
    return true;
}

static bool compile_not(struct compiler *compiler, unsigned *index)
{
    skip_blanks(compiler);
    if (*compiler->at != '!' || compiler->at[1] == '=')
        return compile_comparison(compiler, index);
    if (compiler->depth == MAX_DEPTH)
        return refuse(compiler, column_of(compiler), 1, "nested more than %d deep", MAX_DEPTH);
    compiler->depth++;
    const bool compiled = compile_prefix(compiler, NOT, compile_not, index);
    compiler->depth--;
    return compiled;
}

static bool compile_and(struct compiler *compiler, unsigned *index)
{
    return compile_level(compiler, and_operators, compile_not, "a condition", index);
}

static bool compile_or(struct compiler *compiler, unsigned *index)
{
    return compile_level(compiler, or_operators, compile_and, "a condition", index);
}

/* What is left behind a whole expression. */
static bool refuse_rest(struct compiler *compiler)
{
    switch (*compiler->at) {
    case '=':
        return refuse_here(compiler, "equality is written ==");
    case '&':
        return refuse_here(compiler, "\"and\" is written &&");
    case '|':
        return refuse_here(compiler, "\"or\" is written ||");
    case ')':
        return refuse_here(compiler, "no parenthesis is open");
    default:
        return refuse_here(compiler, "an operator is needed here: && || == != < <= > >= + - * / %");
    }
}

static bool compile(struct compiler *compiler)
{
    struct pm_where *const where = compiler->where;
    if (!compile_or(compiler, &where->root))
        return false;
    skip_blanks(compiler);
    if (*compiler->at != '\0')
        return refuse_rest(compiler);
    return want_number(compiler, where->root, "a condition");
}

enum pm_status pm_where_compile(const char *text, struct pm_where **where, struct pm_error *error)
{
    *where = calloc(1, sizeof **where);
    if (*where == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    struct compiler compiler = {.where = *where, .error = error, .text = text, .at = text};
    if (compile(&compiler))
        return PM_OK;
    pm_where_free(*where);
    *where = NULL;
    return PM_ERROR_ARGUMENT;
}

void pm_where_free(struct pm_where *where)
{
    free(where);
}

unsigned pm_where_parts(const struct pm_where *where)
{
    return where->parts;
}

/* ---- Asking: NAN is what division by zero gives ---- */

struct question {
    const struct pm_where *where;
    const struct pm_record *record;
};

static double evaluate(const struct question *question, unsigned index);

static bool is_true(double value)
{
    return value < 0 || value > 0;
}

static struct pm_value text_of(const struct question *question, unsigned index,
                               struct pm_value_room *room)
{
    const struct node *const node = &question->where->nodes[index];
    return node->operation == TEXT ? (struct pm_value){.text = node->text, .length = node->length}
                                   : pm_field_value(node->field, question->record, room);
}

static bool texts_are_equal(const struct question *question, const struct node *node)
{
    struct pm_value_room rooms[2];
    const struct pm_value left = text_of(question, node->left, &rooms[0]);
    const struct pm_value right = text_of(question, node->right, &rooms[1]);
    return left.length == right.length && memcmp(left.text, right.text, left.length) == 0;
}

static bool compare(enum operation operation, double left, double right)
{
    switch (operation) {
    case EQUAL:
        return left <= right && left >= right;
    case UNEQUAL:
        return left < right || left > right;
    case LESS:
        return left < right;
    case AT_MOST:
        return left <= right;
    case MORE:
        return left > right;
    default:
        return left >= right;
    }
}

static double reckon(enum operation operation, double left, double right)
{
    switch (operation) {
    case MULTIPLY:
        return left * right;
    case DIVIDE:
        return is_true(right) ? left / right : NAN;
    case REMAINDER:
        return is_true(right) ? fmod(left, right) : NAN;
    case ADD:
        return left + right;
    default:
        return left - right;
    }
}

static double field_number(const struct question *question, const struct pm_record_field *field)
{
    struct pm_value_room room;
    return (double)pm_field_value(field, question->record, &room).number;
}

static double evaluate(const struct question *question, unsigned index)
{
    const struct node *const node = &question->where->nodes[index];
    switch (node->operation) {
    case NUMBER:
        return node->number;
    case FIELD:
        return field_number(question, node->field);
    case NEGATE:
        return -evaluate(question, node->left);
    case NOT:
        return !is_true(evaluate(question, node->left));
    case AND:
        return is_true(evaluate(question, node->left)) && is_true(evaluate(question, node->right));
    case OR:
        return is_true(evaluate(question, node->left)) || is_true(evaluate(question, node->right));
    case EQUAL:
    case UNEQUAL:
        if (question->where->nodes[node->left].is_text)
            return texts_are_equal(question, node) == (node->operation == EQUAL);
        break;
    default:
        break;
    }
    const double left = evaluate(question, node->left);
    const double right = evaluate(question, node->right);
    return node->operation >= EQUAL ? compare(node->operation, left, right)
                                    : reckon(node->operation, left, right);
}

bool pm_where_passes(const struct pm_where *where, const struct pm_record *record)
{
    return is_true(evaluate(&(struct question){where, record}, where->root));
}
