/* SPDX-License-Identifier: MIT */
/* Control characters in the text of games, through every output of the program. What is made for
 * other programs is read back by a parser of its format and holds the same text; no output for
 * people or for a terminal holds a control character but line ends (and tabs between columns).
 * Usage: outputs PROGRAM */
#include "core/input.h"
#include "core/utf8.h"
#include "rules/rating/csv.h"

#include <jansson.h>
#include <libxml/parser.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *program;
static unsigned checks, failures;

__attribute__((format(printf, 2, 3))) static void expect(bool holds, const char *format, ...)
{
    va_list arguments;
    checks++;
    if (holds)
        return;
    failures++;
    va_start(arguments, format);
    fputs("FAILED: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

/* ---- The names: "a" CHARACTER "b", for each control character ---- */

enum { NAME_MAX_COUNT = 80 };
static char names[NAME_MAX_COUNT][8];
static size_t name_count;

static void add_name(uint32_t code)
{
    unsigned char utf8[4] = {(unsigned char)code};
    const size_t length = code < 0x80 ? 1 : pm_utf8_write(code, utf8);
    snprintf(names[name_count++], sizeof names[0], "a%.*sb", (int)length, (const char *)utf8);
}

/* Without NUL, which makes a game unreadable, and line ends, which no value of a tag holds. */
static void make_names(void)
{
    for (uint32_t code = 1; code < 0x20; code++)
        if (code != '\n' && code != '\r')
            add_name(code);
    for (uint32_t code = 0x7F; code < 0xA0; code++)
        add_name(code);
    add_name(0x2028);
    add_name(0x2029);
    add_name(0x202E);
    strcpy(names[name_count++], "a\\\\b"); /* a backslash, as a tag writes it */
}

/* The name as text. */
static const char *value_of(size_t index)
{
    return strcmp(names[index], "a\\\\b") == 0 ? "a\\b" : names[index];
}

static void write_games(const char *path)
{
    FILE *const file = fopen(path, "w");
    for (size_t i = 0; i < name_count; i++) {
        const char *const name = names[i];
        fprintf(file, "[Event \"%s\"]\n[White \"%s\"]\n[Black \"Bo\"]\n[Result \"1-0\"]\n", name,
                name);
        fprintf(file, "[Termination \"%s\"]\n[%s \"x\"]\n\n1. e4 {%s} e5 1-0\n\n", name, name,
                name);
    }
    /* In messages: results, variants, positions, moves that are none. */
    for (size_t i = 0; i < name_count; i++) {
        const char *const name = names[i];
        fprintf(file, "[Result \"%s\"]\n\n1. e4 *\n\n[Variant \"%s\"]\n\n1. e4 *\n\n", name, name);
        fprintf(file, "[FEN \"%s\"]\n\n1. e4 *\n\n[FEN \"%s]\n\n1. e4 *\n\n", name, name);
        fprintf(file, "[Event \"%s]\n\n1. e4 %s *\n\n%s [Event \"x\"]\n\n", name, name, name);
    }
    fputs("[White \"a", file);
    fputc('\0', file);
    fputs("b\"]\n\n1. e4 *\n", file);
    fclose(file);
}

/* ---- Running the program ---- */

struct output {
    char *text;
    size_t size;
};

static struct output read_output(const char *path)
{
    struct output output = {.text = malloc(8 << 20)};
    FILE *const file = fopen(path, "r");
    output.size = file == NULL ? 0 : fread(output.text, 1, (8 << 20) - 1, file);
    output.text[output.size] = '\0';
    if (file != NULL)
        fclose(file);
    return output;
}

static void expect_printable(const char *what, const struct output *output, const char *allowed)
{
    for (size_t i = 0; i < output->size;) {
        uint32_t code = 0;
        const size_t length = pm_utf8_read(output->text + i, output->size - i, &code);
        const bool is_control = length == 0 || code < 0x20 || (code >= 0x7F && code < 0xA0) ||
                                (code >= 0x2028 && code <= 0x202E);
        if (is_control && (code == 0 || code > 0x7F || strchr(allowed, (int)code) == NULL)) {
            expect(false, "%s: byte 0x%02X at %zu, after \"%.40s\"", what,
                   (unsigned char)output->text[i], i, output->text + (i > 40 ? i - 40 : 0));
            return;
        }
        i += length;
    }
    expect(output->size > 0, "%s: nothing is there", what);
}

/* What the program prints on standard output; its messages are checked on the way. */
static struct output run(const char *arguments)
{
    char command[1024];
    snprintf(command, sizeof command, "'%s' %s >out 2>err </dev/null", program, arguments);
    const int status = system(command);
    expect(status != -1, "%s can't be run", command);
    const struct output errors = read_output("err");
    if (errors.size > 0)
        expect_printable(arguments, &errors, "\n");
    free(errors.text);
    return read_output("out");
}

static void for_people(const char *arguments)
{
    const struct output output = run(arguments);
    expect_printable(arguments, &output, "\n");
    free(output.text);
}

/* ---- JSON ---- */

static void expect_name(const char *what, const char *found, size_t index)
{
    expect(found != NULL && strcmp(found, value_of(index)) == 0, "%s: name %zu is \"%s\"", what,
           index, found == NULL ? "missing" : found);
}

static void game_json(void)
{
    const struct output output = run("game --format json games.pgn");
    char *line = output.text;
    expect_printable("game --format json", &output, "\n");
    for (size_t i = 0; i < name_count; i++) {
        char *const end = strchr(line, '\n');
        *end = '\0';
        json_t *const game = json_loads(line, 0, NULL);
        expect_name("game --format json", json_string_value(json_object_get(game, "white")), i);
        json_decref(game);
        line = end + 1;
    }
    free(output.text);
}

static void rating_json(void)
{
    const struct output output = run("rating --format json games.pgn");
    json_t *const all = json_loads(output.text, 0, NULL);
    json_t *const players = json_object_get(all, "players");
    size_t found = 0;
    expect_printable("rating --format json", &output, "\n");
    for (size_t k = 0; k < json_array_size(players); k++) {
        const char *const name =
            json_string_value(json_object_get(json_array_get(players, k), "name"));
        for (size_t i = 0; name != NULL && i < name_count; i++)
            found += strcmp(name, value_of(i)) == 0;
    }
    expect(found >= name_count - 1, "rating --format json: %zu of %zu names", found, name_count);
    json_decref(all);
    free(output.text);
}

/* ---- TSV and CSV ---- */

/* A field of a TSV with its escapes undone; returns where the next one begins. */
static char *read_field(char *at, char *field)
{
    while (*at != '\t' && *at != '\n' && *at != '\0') {
        unsigned byte;
        if (at[0] != '\\') {
            *field++ = *at++;
        } else if (at[1] == 'x' && sscanf(at + 2, "%2X", &byte) == 1) {
            *field++ = (char)byte;
            at += 4;
        } else {
            *field++ = at[1] == 't' ? '\t' : at[1] == 'n' ? '\n' : at[1] == 'r' ? '\r' : at[1];
            at += 2;
        }
    }
    *field = '\0';
    return *at == '\0' ? at : at + 1;
}

static void game_tsv(void)
{
    const struct output output = run("game --format tsv games.pgn");
    char field[4096];
    char *line = strchr(output.text, '\n') + 1;
    expect_printable("game --format tsv", &output, "\n\t");
    for (size_t i = 0; i < name_count; i++) {
        char *at = line;
        for (int column = 0; column <= 3; column++)
            at = read_field(at, field);
        expect_name("game --format tsv", field, i);
        line = strchr(line, '\n') + 1;
    }
    free(output.text);
}

static void rating_csv(void)
{
    const struct output output = run("rating --format csv --initial 0 games.pgn");
    const struct pm_input_text text = {.name = "rating", .bytes = output.text, .size = output.size};
    struct pm_input *input = NULL;
    struct pm_csv_reader *reader = NULL;
    const struct pm_csv_row *row = NULL;
    size_t found = 0;
    if (pm_input_open_text(&text, &input, NULL) != PM_OK ||
        pm_csv_open(input, &reader, NULL) != PM_OK)
        exit(1);
    while (pm_csv_next(reader, &row, NULL) == PM_OK && row != NULL)
        for (size_t i = 0; i < name_count; i++)
            found += strcmp(row->fields[1].text, value_of(i)) == 0;
    expect(found >= name_count - 1, "rating --format csv: %zu of %zu names", found, name_count);
    pm_csv_close(reader);
    pm_input_close(input);
    free(output.text);
}

/* ---- Positions with names ---- */

/* EPD ids; a carriage return can't stand in a line either. */
static void write_suite(const char *path)
{
    FILE *const file = fopen(path, "w");
    for (size_t i = 0; i + 1 < name_count; i++)
        fprintf(file, "4k3/8/8/8/8/8/8/4K3 w - - id \"%s\"; D1 %d;\n", names[i], i == 0 ? 6 : 5);
    fclose(file);
}

static void analyze_tables(void)
{
    static const char *const formats[] = {"tsv", "json"};
    for (int format = 0; format < 2; format++) {
        char arguments[128], field[4096];
        snprintf(arguments, sizeof arguments, "analyze --no-header --format %s -f id suite.epd",
                 formats[format]);
        const struct output output = run(arguments);
        char *at = output.text;
        expect_printable(arguments, &output, "\n\t");
        for (size_t i = 0; i + 1 < name_count && *at != '\0'; i++) {
            if (format == 0) {
                at = read_field(at, field);
                expect_name(arguments, field, i);
                continue;
            }
            char *const end = strchr(at, '\n');
            *end = '\0';
            json_t *const row = json_loads(at, 0, NULL);
            expect_name(arguments, json_string_value(json_object_get(row, "id")), i);
            json_decref(row);
            at = end + 1;
        }
        expect(*at == '\0', "%s: ends with \"%.40s\"", arguments, at);
        free(output.text);
    }
}

/* XML holds no control character in any way: it is well-formed, and shows something in its place.
 */
static void junit(void)
{
    const struct output output = run("verify -k x88 -s ./suite.epd --junit junit.xml");
    expect_printable("verify", &output, "\n");
    free(output.text);
    const struct output file = read_output("junit.xml");
    expect_printable("junit.xml", &file, "\n");
    xmlDoc *const document =
        xmlReadMemory(file.text, (int)file.size, NULL, NULL, XML_PARSE_NOERROR);
    expect(document != NULL, "junit.xml is not well-formed");
    xmlFreeDoc(document);
    free(file.text);
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/outputs-XXXXXX";
    static char path[4096];
    if (argc != 2 || realpath(argv[1], path) == NULL || mkdtemp(folder) == NULL ||
        chdir(folder) != 0)
        return 2;
    program = path;
    make_names();
    write_games("games.pgn");
    write_suite("suite.epd");
    for_people("game games.pgn");
    for_people("game --summary games.pgn");
    for_people("game --perft-suite 1 games.pgn");
    for_people("rating games.pgn");
    game_json();
    game_tsv();
    rating_json();
    rating_csv();
    analyze_tables();
    junit();
    const char *const files[] = {"games.pgn", "suite.epd", "out", "err", "junit.xml"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(files[i]);
    if (chdir("/") == 0)
        rmdir(folder);
    printf("%u checks, %u failed\n", checks, failures);
    return failures > 0;
}
