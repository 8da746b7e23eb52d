/* SPDX-License-Identifier: MIT */
#include "rules/pgn.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/pgn_text.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define FILES PM_SOURCE_DIR "/tests/pgn/"

static void expect_games(const char *text, size_t size, const char *expected)
{
    struct source source = {0};
    open_text(&source, text, size);
    char *const games = games_of(&source, false);
    if (strcmp(games, expected) != 0)
        fail_msg("\"%.400s\" reads as\n%sexpected\n%s", text, games, expected);
    free(games);
    close_source(&source);
}

/* ---- Tests ---- */

static void oddities(void **state)
{
    static const struct {
        const char *text, *games;
    } rows[] = {
        {"", ""},
        {" \t\r\n\n\x1A", ""},
        {"*", "|"
              "|*\n"},
        {"1. e4 e5", "|e4 e5|\n"},
        {"[Event \"x\"]", "Event=x||\n"},
        {"[Event \"x\"", "Event=x||\n"},
        {"[Event \"x\" \n[Site \"y\"\n\n1. e4 *", "Event=x|Site=y|e4|*\n"},
        {"[Event \"x\" [Site \"y\"] 1. e4 *", "Event=x|Site=y|e4|*\n"},
        {" [Event \"x\"]\n  [Site\t\"y\"  ] \n1. e4 *", "Event=x|Site=y|e4|*\n"},
        {"[X \"a \\\"b\\\" \\\\ \\c\"]\n*", "X=a \"b\" \\ \\c||*\n"},
        {"[X \"a \"b\" c\"]\n*", "X=a \"b\" c||*\n"},
        {"[X \"a ] b\"]\n*", "X=a ] b||*\n"},
        {"[X \"\"]\n[Y \" \"]\n*", "X=|Y= ||*\n"},
        {"[X \"\xC3\xA9\"]\n*", "X=\xC3\xA9||*\n"},
        {"[X \"\xE9t\xE9\"]\n*", "X=\xC3\xA9t\xC3\xA9||*\n"},
        {"[X \"\x80 \x9F \x81\"]\n*", "X=\xE2\x82\xAC \xC5\xB8 \xC2\x81||*\n"},
        {"[X \"\xC0\xAF\"]\n*", "X=\xC3\x80\xC2\xAF||*\n"}, /* overlong is not UTF-8 */
        {"[X \"\xED\xA0\x80\"]\n*", "X=\xC3\xAD\xC2\xA0\xE2\x82\xAC||*\n"}, /* nor a surrogate */
        {"[X \"\xE0\x80\xAF\"]\n*", "X=\xC3\xA0\xE2\x82\xAC\xC2\xAF||*\n"},
        {"[X \"\xF0\x80\x80\xAF\"]\n*", "X=\xC3\xB0\xE2\x82\xAC\xE2\x82\xAC\xC2\xAF||*\n"},
        {"[X \"\xF4\x90\x80\x80\"]\n*", "X=\xC3\xB4\xC2\x90\xE2\x82\xAC\xE2\x82\xAC||*\n"},
        {"[X \"\xF0\x9F\x98\x80\"]\n*", "X=\xF0\x9F\x98\x80||*\n"},
        {"\xEF\xBB\xBF% escaped\n[X \"y\"]\n*", "X=y||*\n"},
        {"1.e4 e5 2.Nf3 1-0", "|e4 e5 Nf3|1-0\n"},
        {"1e4 e5 2Nf3 1/2", "|e4 e5 Nf3|1/2-1/2\n"},
        {"1. e4 e5 \xC2\xBD-\xC2\xBD\n1. d4 \xBD-\xBD", "|e4 e5|1/2-1/2\n|d4|1/2-1/2\n"},
        {"1. ... e5 2 . d4 3 ... d5 *", "|e5 d4 d5|*\n"},
        {"1. 0-0 0-0-0+ 0-1", "|0-0 0-0-0+|0-1\n"},
        {"1. -- Z0 2. 0000 *", "|-- Z0 0000|*\n"},
        {"1. e4! e5?? 2. d4!? = +- d5 -+ $139 +/- *", "|e4 e5 d4 d5|*\n"},
        {"1. exd6 e.p. fxe3 ep 2. exd6 e.p.+ fxe3e.p. *", "|exd6 fxe3 exd6 fxe3e.p.|*\n"},
        {"1. e4{a}e5(1... d5{b)}2. d4(2. c4))2.d4;x\nd5*", "|e4 e5 d4 d5|*\n"},
        {"1. e4 {[%clk 0:01]\n[%eval 1.0]\n[Site \"is no tag here\"]\n} e5 *", "|e4 e5|*\n"},
        {"1. e4 {{ nests not } e5 *", "|e4 e5|*\n"},
        {"1. e4 ; a { is nothing here\ne5 *", "|e4 e5|*\n"},
        {"1. e4\n%e5 1-0\nd5 100% *", "|e4 d5 100%|*\n"},
        {"1. e4 %e5 1-0\n", "|e4 %e5|1-0\n"},
        {"1. e4 (1. d4 1-0) 1... e5 0-1", "|e4 e5|0-1\n"},
        {"1. e4 1-0 {resigned} $1 (1. d4) 1-0\n*", "|e4|1-0\n||*\n"},
        {"1. e4 1-0 White gains\n\n[X \"y\"]\n*", "|e4|1-0\nX=y||*\n"},
        {"1. e4 1-0 [X \"y\"] *", "|e4|1-0\nX=y||*\n"},
        {"1. e4 1-0 1. d4 *", "|e4|1-0\n|d4|*\n"},
        {"1. e4 1-0 e5 *", "|e4|1-0\n|e5|*\n"},
        {"1. e4 e5\n[X \"y\"]\n1. d4", "|e4 e5|\nX=y|d4|\n"},
        {"1. e4 e5 [X \"y\"] 1. d4", "|e4 e5|\nX=y|d4|\n"},
        {"[X \"1\"]\n\n[Y \"2\"]\n{c}\n[Z \"3\"]\n*", "X=1|Y=2|Z=3||*\n"},
        {"[Event \"1\"]\n\n[Event \"2\"]\n*", "Event=1||\nEvent=2||*\n"},
        {"[X \"1\"]\n[event \"1\"]\n\n[Event \"2\"]\n*", "X=1|event=1||\nEvent=2||*\n"},
        {"1. e4 e5\n\n1. d4 d5", "|e4 e5|\n|d4 d5|\n"},
        {"1. e4\n\n1... e5\n\n2. d4\n1. d5", "|e4 e5 d4 d5|\n"},
        {"hello\n[see below]\n", "!\n"},
        {"hello, 1. e4\n(c) 1. e4\n1. d4", "|d4|\n"},
        {"a note\n\ne2e4 e7e5\n", "|e2e4 e7e5|\n"},
        {"O-O *\n0-0 *\n-- \nAda\n* * *\n1-0 it was\n\n1-0 {x}\n* ; x\n",
         "|O-O|*\n|0-0|*\n||1-0\n||*\n"},
        {"2024 was good\n12 e4 *\n12 . e4 *", "|e4|*\n|e4|*\n"},
        {"1. \"e4\" <x> >y Zz9 *", "|\"e4\" >y Zz9|*\n"},
        {"[Result \"1-0\"]\r\r1. e4\re5\r\n\r\n2. d4 1-0\r\r[X \"y\"]\r*",
         "Result=1-0|e4 e5 d4|1-0\nX=y||*\n"},
        {"1. e4\v\fe5\x1A *", "|e4 e5|*\n"},
        {"[X \"y]\n[Y \"z\"]\n1. e4 *\n[X \"y\"]\n1. d4 *", "Y=z|e4|*\nX=y|d4|*\n"},
        {"[FEN \"y]\n[Y \"z\"]\n1. e4 *\n[X \"y\"]\n1. d4 *", "!\nX=y|d4|*\n"},
        {"1. e4 {\n[Event \"x\"]\n1. d4 *", "!\nEvent=x|d4|*\n"},
        {"{ a comment \n[Event \"x\"]\n1. d4 *", "!\nEvent=x|d4|*\n"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++)
        expect_games(rows[i].text, strlen(rows[i].text), rows[i].games);
}

/* As sites, word processors and books write it. */
static void typographic_texts(void **state)
{
    static const struct {
        const char *text, *games;
    } rows[] = {
        /* blanks that are none, or can't be seen */
        {"1.\xC2\xA0"
         "e4 e5 2.\xC2\xA0Nf3\xC2\xA0Nc6 *",
         "|e4 e5 Nf3 Nc6|*\n"},
        {"1. e4\xE2\x80\x8B e5\xE2\x81\xA0 2.\xEF\xBB\xBFNf3 *", "|e4 e5 Nf3|*\n"},
        {"1. e4\xA0"
         "e5\xA0*",
         "|e4 e5|*\n"}, /* Windows-1252 */
        {"1. e4\xE2\x80\x89\xE2\x80\xAF\xE3\x80\x80"
         "e5 *",
         "|e4 e5|*\n"},
        {"\xC2\xA0[FEN \"x\"]\n[White\xC2\xA0\"Ada\"\xE2\x80\x8B]\n\n1. e4 *",
         "FEN=x|White=Ada|e4|*\n"},
        {"\xE2\x80\x8B[FEN \"x\"]\n1. e4 *", "FEN=x|e4|*\n"},
        {"\xE2\x81\xA0[FEN \"x\"]\n1. e4 *", "FEN=x|e4|*\n"},
        {"\x01\x7F\x1B[FEN \"x\"]\n1. e4 *", "FEN=x|e4|*\n"},
        {"[White \"Ada\"]\n\xC2\xA0\x02[FEN \"x\"]\n1. e4 *", "White=Ada|FEN=x|e4|*\n"},
        {"1. e4 *\n\xEF\xBB\xBF[FEN \"x\"]\n1. e4 *", "|e4|*\nFEN=x|e4|*\n"},
        {"\xEF\xBB\xBF\xEF\xBB\xBF%e4\n1. e4 *", "|e4|*\n"},
        {"[X \"y\"]\n\xC2\xA0\n[X \"z\"]\n1. e4 *", "X=y||\nX=z|e4|*\n"},
        {"1. e4\x0B\x1F\x08"
         "e5 *",
         "|e4 e5|*\n"},
        /* dashes */
        {"1. O\xE2\x80\x93O 0\xE2\x80\x94"
         "0\xE2\x80\x93"
         "0 2. e2\xE2\x88\x92"
         "e4 *",
         "|O-O 0-0-0 e2-e4|*\n"},
        {"1. e4 1\xE2\x80\x93"
         "0\n1. d4 0\xE2\x80\x94"
         "1",
         "|e4|1-0\n|d4|0-1\n"},
        {"1. e4 O\x96O *", "|e4 O-O|*\n"},
        {"1. o-o o-o-o *", "|o-o o-o-o|*\n"},
        {"o-o *\n1. e4 *", "|o-o|*\n|e4|*\n"},
        {"1. O\xE2\x80\x91O O\xC2\xAD-O *", "|O-O O-O|*\n"},
        {"0\xE2\x80\x93"
         "0 *",
         "|0-0|*\n"},
        /* results */
        {"1. e4 \xC2\xBD\xE2\x80\x93\xC2\xBD\n1. d4 \xBD\x96\xBD\n1. c4 \xC2\xBD",
         "|e4|1/2-1/2\n|d4|1/2-1/2\n|c4|1/2-1/2\n"},
        {"1. e4 0.5-0.5\n1. d4 0.5\xE2\x80\x93"
         "0.5\n1. c4 1/2",
         "|e4|1/2-1/2\n|d4|1/2-1/2\n|c4|1/2-1/2\n"},
        {"1. e4 1\xE2\x81\x84"
         "2-1\xE2\x81\x84"
         "2\n1-0 {x}",
         "|e4|1/2-1/2\n||1-0\n"},
        {"[Result \"0-0\"]\n1. e4 0-0", "Result=0-0|e4|0-0\n"},
        {"[Result \"0\xE2\x80\x93"
         "0\"]\n1. e4 0\xE2\x80\x93"
         "0\n\n[X \"y\"]\n*",
         "Result=0\xE2\x80\x93"
         "0|e4|0-0\nX=y||*\n"},
        {"[Result \"0-0\"]\n1. e4 0-0 *", "Result=0-0|e4 0-0|*\n"},
        {"[Result \"0-0\"]\n1. 0-0 0-0\n", "Result=0-0|0-0|0-0\n"},
        {"[Result \"1-0\"]\n1. e4 0-0\n", "Result=1-0|e4 0-0|\n"},
        {"[Result \"0-0\"]\n1. e4 0-0-0\n", "Result=0-0|e4 0-0-0|\n"},
        /* an ellipsis */
        {"1. e4 1\xE2\x80\xA6 e5 2.Nf3 2.\xE2\x80\xA6Nc6 \xE2\x80\xA6 *", "|e4 e5 Nf3 Nc6|*\n"},
        {"1\x85 e5 *", "|e5|*\n"},
        {"1. e4 (1. d4 \xE2\x80\xA6) \xE2\x80\xA6"
         "e5 *",
         "|e4 e5|*\n"},
        {"12\xE2\x80\xA6 e5 *", "|e5|*\n"},
        {"1\xE2\x80\xA5 e5 2. d4\xE2\x80\xA6 *", "|e5 d4|*\n"},
        /* figurines */
        {"1. e4 e5 2. \xE2\x99\x98"
         "f3 \xE2\x99\x9E"
         "c6 *",
         "|e4 e5 Nf3 Nc6|*\n"},
        {"1. \xE2\x99\x99"
         "e4 \xE2\x99\x9F"
         "e5 2.\xE2\x99\x94"
         "e2 *",
         "|e4 e5 Ke2|*\n"},
        {"1. \xE2\x99\x95\xC3\x97"
         "f7\xE2\x80\xA0 \xE2\x99\x9A\xC3\x97"
         "f7 *",
         "|Qxf7+ Kxf7|*\n"},
        {"1. e8=\xE2\x99\x95 e1\xE2\x99\x9C+ 2. \xE2\x99\x97"
         "b5 \xE2\x99\x9D"
         "b4 *",
         "|e8=Q e1R+ Bb5 Bb4|*\n"},
        {"1. \xE2\x99\x98\xEF\xB8\x8E"
         "f3 \xE2\x99\x9E\xEF\xB8\x8F"
         "f6 *",
         "|Nf3 Nf6|*\n"},
        {"\xE2\x99\x98"
         "f3 *\n1\xE2\x99\x98"
         "f3 *",
         "|Nf3|*\n|Nf3|*\n"},
        /* signs of evaluation */
        {"1. e4\xE2\x80\xBC e5\xE2\x81\x87 2. d4\xE2\x81\x89 d5 \xE2\x81\x88 *",
         "|e4 e5 d4 d5|*\n"},
        {"1. e4 \xC2\xB1 e5 \xE2\x88\x93 2. d4 \xE2\xA9\xB2 d5 \xE2\xA9\xB1 *", "|e4 e5 d4 d5|*\n"},
        {"1. e4 \xE2\x88\x9E e5\xE2\x96\xA1 2. d4 \xE2\x86\x91 *", "|e4 e5 d4|*\n"},
        {"1. e4 +\xE2\x88\x92 e5 \xE2\x88\x92+ 2. d4 =\xE2\x88\x9E *", "|e4 e5 d4|*\n"},
        {"1. e4\xE2\x9C\x93 e5 \xE2\x98\x85 *", "|e4 e5|*\n"},
        {"\xE2\x9C\x93 1. e4 *\n1. d4 \xB1 *", "|d4|*\n"},
        /* en passant */
        {"1. exd6 e.p. fxe3 en passant 2. exd6 en pt *", "|exd6 fxe3 exd6|*\n"},
        {"1. exd6 en\npassant fxe3 en passant. 2. exd6 en pt. *", "|exd6 fxe3 exd6|*\n"},
        {"1. exd6 e. p. fxe3 en\xC2\xA0passant+ *", "|exd6 fxe3|*\n"},
        {"1. exd6 en {x} passant *", "|exd6 en passant|*\n"}, /* no move: told when it is played */
        {"1. exd6 en e4 *", "|exd6 en e4|*\n"},
        {"1. exd6 passant *", "|exd6 passant|*\n"},
        /* tags of several lines */
        {"[Event\n\"A long name\"]\n[White \"Ada\"]\n1. e4 *",
         "Event=A long name|White=Ada|e4|*\n"},
        {"[\nFEN \"x\"]\n[White \"Ada\"]\n1. e4 *", "FEN=x|White=Ada|e4|*\n"},
        {"[Event\r\n\r\n\t\"x\"\r\n]\n[Site \"y\"\n\n]\n*", "Event=x|Site=y||*\n"},
        {"[Event \"A name\nof two lines\"]\n*", "Event=A name of two lines||*\n"},
        {"[Event \"A name\r\nof \\\"three\\\"\r\nlines\" ]\n*",
         "Event=A name of \"three\" lines||*\n"},
        /* games of tags alone */
        {"[FEN \"a\"]\n\n[FEN \"b\"]\n\n", "FEN=a||\nFEN=b||\n"},
        {"[FEN \"a\"]\n[X \"1\"]\n\n\n[X \"2\"]\n[FEN \"b\"]\n", "FEN=a|X=1||\nX=2|FEN=b||\n"},
        {"[FEN \"a\"]\n\n[SetUp \"1\"]\n\n[Event \"b\"]\n", "FEN=a|SetUp=1|Event=b||\n"},
        {"[fen \"a\"]\n\n[FEN \"b\"]", "fen=a||\nFEN=b||\n"},
        {"[FEN \"a\"]\n\n[FEN \"b]\n", "FEN=a||\n!\n"},
        /* comments with tags */
        {"1. e4 e5 2. Nf3 { as in\n[Event \"quoted\"]\nabove } Nc6 *", "|e4 e5 Nf3 Nc6|*\n"},
        {"1. e4 {\n[Event \"x\"]\n[White \"y\"]\n1. d4 d5 *\n[Event \"z\"]\n} e5 *", "|e4 e5|*\n"},
        {"{\n[Event \"x\"] }\n1. e4 *", "|e4|*\n"},
        {"[White \"y\"]\n{\n[Event \"x\"]\n}\n[Black \"z\"]\n1. e4 *", "White=y|Black=z|e4|*\n"},
        {"1. e4 {open\n[Event \"x\"]\n1. d4 {a} *\n[Event \"y\"]\n*",
         "!\nEvent=x|d4|*\nEvent=y||*\n"},
        {"[White \"y\"]\n{open\n[Event \"x\"]\n1. d4 *", "!\nEvent=x|d4|*\n"},
        {"1. e4 ; [Event \"x\"]\n% [Event \"x\"]\ne5 *", "|e4 e5|*\n"},
        /* text in brackets, which is no tag */
        {"[see below]\n1. e4 *", "|e4|*\n"},
        {"[A note by the editor]\n\n1. e4 *\n[The end]\n", "|e4|*\n"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++)
        expect_games(rows[i].text, strlen(rows[i].text), rows[i].games);
}

/* A text that is the moves of one game, as --moves takes it. */
static void moves_alone(void **state)
{
    static const struct {
        const char *text, *game; /* a fault's words after '!' */
    } rows[] = {
        {"", "||\n"},
        {"e4 e5 Nf3", "|e4 e5 Nf3|\n"},
        {"1. e4 {c} e5 (1... c5) 2. Nf3! $1 1-0\n", "|e4 e5 Nf3|1-0\n"},
        {"1. e4 a6 2. e5 d5 3. exd6 e.p.", "|e4 a6 e5 d5 exd6|\n"},
        {"Zz9 e4", "|Zz9 e4|\n"},
        {"\xE2\x99\x98"
         "f3 \xC2\xBD-\xC2\xBD",
         "|Nf3|1/2-1/2\n"},
        {"e4 1-0 e5", "!moves:1:8: \"e5\": the game has ended before this"},
        {"e4 1-0\n\n1. d4", "!moves:3:1: \"1. d4\": the game has ended before this"},
        {"e4 (d4", "!moves:1:4: \"(\": this variation has no end"},
        {"e4 {d4", "!moves:1:4: \"{\": this comment has no end"},
        {"e4 ) d4", "!moves:1:4: \") d4\": this ')' closes no variation"},
        {"[White \"x\"] e4", "!moves:1:1: \"[White \"x\"] e4\": the game has ended before this"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct pm_error error = {.text = ""};
        struct pm_pgn_game *game = NULL;
        char *written = NULL;
        size_t size = 0;
        const enum pm_status status = pm_pgn_read_moves("moves", rows[i].text, &game, &error);
        FILE *const file = open_memstream(&written, &size);
        if (status == PM_OK)
            write_game(file, game, false);
        else
            fprintf(file, "!%s", error.text);
        fclose(file);
        if (strncmp(written, rows[i].game, strlen(rows[i].game)) != 0)
            fail_msg("\"%s\" reads as %s", rows[i].text, written);
        free(written);
        free(game);
    }
}

static const char quotation[] = "this tag's value has no closing quotation mark";
static const char quotes[] = "a tag is [Name \"value\"], with a name of at most 255 letters";
static const char brackets[] = "brackets are for tags, [Name \"value\"]: this one is passed over";
static const char comment[] = "this comment has no end: a '}' is missing";
static const char variation[] = "this variation has no end: a ')' is missing";
static const char closes_none[] = "this ')' closes no variation";
static const char stray[] = "this bracket closes nothing";
static const char glyph[] = "a '$' is followed by a number";
static const char two[] = "the game has another result before this one: the first counts";
static const char nul[] = "a NUL byte is no text of a game";
static const char no_game[] = "no game is in this file";
static const char twice[] = "this tag stands twice in the game: the first counts";
static const char behind[] = "this tag is not read: other text stands before it on its line";
static const char in_front[] = "this stands before a tag, which is read all the same";

static const char reserved[] = "PGN keeps '<' and '>' for later: this is passed over";

struct message {
    const char *text; /* '@' stands for NUL */
    unsigned line, column;
    const char *seen, *what;
    const char *games; /* what is read all the same; NULL: the game is at fault */
};

static void check_message(size_t row, const struct message *message, const char *told)
{
    char expected[256];
    snprintf(expected, sizeof expected, "text:%u:%u: %s", message->line, message->column,
             message->seen);
    if (strncmp(told, expected, strlen(expected)) != 0 || strstr(told, message->what) == NULL ||
        strchr(told, '\n') != NULL)
        fail_msg("row %zu: %s, expected \"%s\" and \"%s\"", row, told, expected, message->what);
}

static char *with_nuls(const char *text)
{
    char *const copy = strdup(text);
    assert_non_null(copy);
    for (char *at = copy; (at = strchr(at, '@')) != NULL;)
        *at++ = '\0'; /* what the literal can't hold */
    return copy;
}

/* Lines and columns are of the place that is wrong; reading goes on after each. */
static void malformed_texts(void **state)
{
    static const struct message rows[] = {
        {"[FEN \"x]", 1, 6, "\"x]\"", quotation, NULL},
        {"[FEN \"x]\n[Site \"y\"]\n\n1. e4 *\n", 1, 6, "\"x]\"", quotation, NULL},
        {"[Event \"x\"]\n[SetUp \"]\n", 2, 8, "\"]\"", quotation, NULL},
        {"[Event \"x\"]\n[Variant \"", 2, 10, "\"\"", quotation, NULL},
        {"[fen \"8/8\\\"]\n*", 1, 6, "\"8/8\"]\"", quotation, NULL},
        {"[FEN 8/8 w]\n*", 1, 1, "\"[FEN 8/8 w]\"", quotes, NULL},
        {"[Site \"y\"] [SetUp 1]\n*", 1, 12, "\"[SetUp 1]\"", quotes, NULL},
        {"\xEF\xBB\xBF[FEN x]\n*", 1, 1, "\"[FEN x]\"", quotes, NULL},
        {"1. e4 {open", 1, 7, "\"{\"", comment, NULL},
        {"1. e4 {open\n\n[Event \"x\"]\n*", 1, 7, "\"{\"", comment, NULL},
        {"1. e4\n\n  { open\r\n [%x]\r\n[Event \"x\"]\r\n*", 3, 3, "\"{\"", comment, NULL},
        {"1. e4 {open\n\n[Event \"x\"]\n1. d4 {a} *", 1, 7, "\"{\"", comment, NULL},
        {"\n{", 2, 1, "\"{\"", comment, NULL},
        {"1. e4 (1. d4 {x) e5 *", 1, 14, "\"{\"", comment, NULL},
        {"1. e4 (1. d4", 1, 7, "\"(\"", variation, NULL},
        {"1. e4 (1. d4) (1. c4 (1. a4) *", 1, 15, "\"(\"", variation, NULL},
        {"1. e4\n(1. d4 (1. c4)\n1... e5 *\n\n[X \"y\"]\n*", 2, 1, "\"(\"", variation, NULL},
        {"1. e4 1-0 (1. d4\n", 1, 11, "\"(\"", variation, NULL},
        {"hello", 1, 1, "\"hello\"", no_game, NULL},
        {"\n\n  <html>\n<p>no chess</p>", 3, 3, "\"<html>\"", no_game, NULL},
        {"(c)\n", 1, 1, "\"(c)\"", no_game, NULL},
        {"1. e4@ e5 *", 1, 6, "\"\\x00\"", nul, NULL},
        {"[X \"a@b\"]\n*", 1, 6, "\"\\x00\"", nul, NULL},
        {"[X \"y\"]\n\n@1. e4 *", 3, 1, "\"\\x00\"", nul, NULL},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct source source = {0};
        struct pm_error error = {.text = "accepted"};
        const struct pm_pgn_game *game = NULL;
        char *const text = with_nuls(rows[i].text);
        open_text(&source, text, strlen(rows[i].text));
        assert_int_equal(pm_pgn_next(source.reader, &game, &error), PM_ERROR_PARSE);
        assert_null(game);
        check_message(i, &rows[i], error.text);
        const struct pm_pgn_fault fault = pm_pgn_last_fault(source.reader);
        assert_int_equal(fault.index, rows[i].what != no_game);
        assert_int_equal(fault.line, rows[i].line);
        assert_int_equal(fault.column, rows[i].column);
        for (unsigned more = 0; more < 3; more++)
            pm_pgn_next(source.reader, &game, NULL);
        assert_null(game);
        free(text);
        close_source(&source);
    }
}

/* What is wrong, but costs no game. */
static void notes(void **state)
{
    static const struct message rows[] = {
        {"[Event \"x]\n[Site \"y\"]\n\n1. e4 *\n", 1, 8, "\"x]\"", quotation, "Site=y|e4|*\n"},
        {"[Event \"Tournament \\\"]\n[A \"b\"]\n1. e4 *", 1, 8, "\"Tournament \"]\"", quotation,
         "A=b|e4|*\n"},
        {"[Event \"Tournament \\\"]\n\n1. e4 *", 1, 8, "\"Tournament \"]\"", quotation, "|e4|*\n"},
        {"[Site \"C:\\x\\\"]\n*", 1, 7, "\"C:\\x\"]\"", quotation, "||*\n"},
        {"[Event \"x\"]\n  [Site \"y\" z]\n*", 2, 9, "\"y\" z]\"", quotation, "Event=x||*\n"},
        {"[Site \"two\n\nlines\n*", 1, 7, "\"two\"", quotation, "|lines|*\n"},
        {"[Site \"y\"] [Date \"z]\n*", 1, 18, "\"z]\"", quotation, "Site=y||*\n"},
        {"[Event x]\n*", 1, 1, "\"[Event x]\"", quotes, "||*\n"},
        {"[Event x] [Site \"y\"] *", 1, 1, "\"[Event x] [Site \"y\"] *\"", quotes, "Site=y||*\n"},
        {"\xEF\xBB\xBF[Event x]\n*", 1, 1, "\"[Event x]\"", quotes, "||*\n"},
        {"[Event]\n*", 1, 1, "\"[Event]\"", quotes, "||*\n"},
        {"[Event 'x']\n*", 1, 1, "\"[Event 'x']\"", quotes, "||*\n"},
        {"[Event x\"]\n*", 1, 1, "\"[Event x\"]\"", quotes, "||*\n"},
        {"[Event=\xE2\x80\x9Cx\xE2\x80\x9D]\n*", 1, 1, "\"[Event=\\xE2\\x80\\x9Cx", quotes,
         "||*\n"},
        {"[Site \"y\"]\n[White Elo \"2000\"]\n*", 2, 1, "\"[White Elo \"2000\"]\"", quotes,
         "Site=y||*\n"},
        {"[Site \"y\"]\n[White Elo \"]\"] [A \"b\"]*", 2, 1, "\"[White Elo \"]\"] [A", quotes,
         "Site=y|A=b||*\n"},
        {"1. e4 [Diagram] e5 *", 1, 7, "\"[Diagram] e5 *\"", brackets, "|e4 e5|*\n"},
        {"[Site \"y\"]\n[\"z\"]\n*", 2, 1, "\"[\"z\"]\"", brackets, "Site=y||*\n"},
        {"[Site \"y\"]\n[]\n*", 2, 1, "\"[]\"", brackets, "Site=y||*\n"},
        {"[Site \"y\"]\n  [ \n*", 2, 3, "\"[ \"", brackets, "Site=y||*\n"},
        {"1. e4 [%clk 0:01] e5 *", 1, 7, "\"[%clk 0:01] e5 *\"", brackets, "|e4 e5|*\n"},
        {"1. e4 [a5!?] e5 *", 1, 7, "\"[a5!?] e5 *\"", brackets, "|e4 e5|*\n"},
        {"1. e4) e5 *", 1, 6, "\") e5 *\"", closes_none, "|e4 e5|*\n"},
        {"1. e4 (1. d4) ) e5 *", 1, 15, "\") e5 *\"", closes_none, "|e4 e5|*\n"},
        {"1. e4\r\n1... e5 ())\r\n", 2, 11, "\")\"", closes_none, "|e4 e5|\n"},
        {"1. e4 } e5 *", 1, 7, "\"} e5 *\"", stray, "|e4 e5|*\n"},
        {"1. e4 {a} b} e5 *", 1, 12, "\"} e5 *\"", stray, "|e4 b e5|*\n"},
        {"[X \"y\"]]\n[Z \"a\"]\n1. e4 *", 1, 8, "\"]\"", stray, "X=y|Z=a|e4|*\n"},
        {"[X \"y\" ]\r1. e4 e5]\r*", 2, 9, "\"]\"", stray, "X=y|e4 e5|*\n"},
        {"1. e4 $ e5 *", 1, 7, "\"$ e5 *\"", glyph, "|e4 e5|*\n"},
        {"1. e4 $x e5 *", 1, 7, "\"$x e5 *\"", glyph, "|e4 e5|*\n"},
        {"1. e4 $-1 e5 *", 1, 7, "\"$-1 e5 *\"", glyph, "|e4 e5|*\n"},
        {"1. e4 1-0 0-1", 1, 11, "\"0-1\"", two, "|e4|1-0\n"},
        {"1. e4 * {x} 1/2-1/2", 1, 13, "\"1/2-1/2\"", two, "|e4|*\n"},
        {"[White \"A\"]\n[White \"B\"]\n[Black \"C\"]\n*", 2, 1, "\"White\"", twice,
         "White=A|Black=C||*\n"},
        {"[White \"A\"]\n[Black \"C\"] [WHITE \"A\"]\n*", 2, 13, "\"WHITE\"", twice,
         "White=A|Black=C||*\n"},
        {"[FEN \"a\"]\n[FEN \"b\"]\n1. e4 *", 2, 1, "\"FEN\"", twice, "FEN=a|e4|*\n"},
        {"[X \"a\"]\n[Y \"b\"]\n[Y \"c\n\"]\n1. e4 *", 3, 1, "\"Y\"", twice, "X=a|Y=b|e4|*\n"},
        {"[a \"1\"]\n{c}\n[b \"2\"]\n[A \"3\"]\n*", 4, 1, "\"A\"", twice, "a=1|b=2||*\n"},
        {"Hello [FEN \"x\"] to all\n1. e4 *", 1, 7, "\"[FEN \"x\"] to all\"", behind, "|e4|*\n"},
        {"1. e4 *\nsee [White \"x\"], [Black \"y\"]\n1. d4 *", 2, 5, "\"[White \"x\"], [Black",
         behind, "|e4|*\n"},
        {"From: me\nx[ FEN \"x\"]\n1. e4 *", 2, 2, "\"[ FEN \"x\"]\"", behind, "|e4|*\n"},
        {"1. e4 *\n\na [FEN \"x\"]", 3, 3, "\"[FEN \"x\"]\"", behind, "|e4|*\n"},
        {"1. e4 1-0 bye [FEN \"x\"]\n1. d4 *", 1, 15, "\"[FEN \"x\"]\"", behind, "|e4|1-0\n"},
        {"> [FEN \"x\"]\n1. e4 *", 1, 1, "\"> \"", in_front, "FEN=x|e4|*\n"},
        {"\"[FEN \"x\"]\n1. e4 *", 1, 1, "\"\"\"", in_front, "FEN=x|e4|*\n"},
        {"[White \"A\"]\n> [FEN \"x\"]\n1. e4 *", 2, 1, "\"> \"", in_front, "White=A|FEN=x|e4|*\n"},
        {"[White \"A\"]\n\"[FEN \"x\"]\n1. e4 *", 2, 1, "\"\"\"", in_front, "White=A|FEN=x|e4|*\n"},
        {"1. e4 *\n\n>> [FEN \"x\"]\n1. e4 *", 3, 1, "\">> \"", in_front, "|e4|*\n"},
        {"\xC2\xBB[FEN \"x\"]\n1. e4 *", 1, 1, "\"\\xC2\\xBB\"", in_front, "FEN=x|e4|*\n"},
        {"[X \"y\"]<br />[Z \"a\"] 1. e4 e5 *", 1, 8, "\"<br />[Z \"a\"] 1. e4", reserved,
         "X=y|Z=a|e4 e5|*\n"},
        {"1. e4<br>e5 *", 1, 6, "\"<br>e5 *\"", reserved, "|e4 e5|*\n"},
        {"1. e4 < e5 *", 1, 7, "\"< e5 *\"", reserved, "|e4 e5|*\n"},
        {"[Result \"0-0\"]\n1. e4 e5 0-0\n", 2, 10, "\"0-0\"", "both lose",
         "Result=0-0|e4 e5|0-0\n"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct source source = {0};
        const struct pm_pgn_game *game = NULL;
        char *games = NULL;
        size_t size;
        open_text(&source, rows[i].text, strlen(rows[i].text));
        const char *told = NULL;
        FILE *const file = open_memstream(&games, &size);
        if (pm_pgn_next(source.reader, &game, NULL) != PM_OK || game == NULL)
            fail_msg("row %zu: no game", i);
        write_game(file, game, false);
        fclose(file);
        while ((told = pm_pgn_notes(source.reader)) == NULL && game != NULL)
            pm_pgn_next(source.reader, &game, NULL);
        if (told == NULL || strcmp(games, rows[i].games) != 0)
            fail_msg("row %zu: \"%s\" reads as %sand tells %s", i, rows[i].text, games,
                     told == NULL ? "nothing" : told);
        check_message(i, &rows[i], told);
        free(games);
        close_source(&source);
    }
}

/* Eight are told, then that there are more; the next game has its own. */
static void many_notes(void **state)
{
    static const char text[] = "1. e4 ]]]]]]]]]]]] *\n1. d4 ] *\n1. c4 *";
    static const unsigned expected[] = {9, 1, 0};
    struct source source = {0};
    const struct pm_pgn_game *game = NULL;
    (void)state;
    open_text(&source, text, sizeof text - 1);
    for (size_t i = 0; i < LENGTH(expected); i++) {
        assert_int_equal(pm_pgn_next(source.reader, &game, NULL), PM_OK);
        const char *told = pm_pgn_notes(source.reader);
        unsigned lines = told != NULL;
        for (; told != NULL && (told = strchr(told, '\n')) != NULL; told++)
            lines++;
        assert_int_equal(lines, expected[i]);
    }
    close_source(&source);
}

/* What is too long: a word, a tag's name, a game. */
static void long_texts(void **state)
{
    enum { MANY = 3 << 20 };
    char *const text = malloc(MANY * 24 + 100);
    (void)state;
    assert_non_null(text);
    size_t size = (size_t)sprintf(text, "1. %0*d *", 255, 0);
    text[3] = 'x';
    char expected[300];
    snprintf(expected, sizeof expected, "|%.255s|*\n", text + 3);
    expect_games(text, size, expected);
    size = (size_t)sprintf(text, "1. %0*d *\n1. e4 *", 256, 0);
    text[3] = 'x';
    expect_games(text, size, "!\n|e4|*\n");
    size = (size_t)sprintf(text, "[x%0*d \"y\"]\n*", 300, 0);
    expect_games(text, size, "||*\n");
    size = 0;
    for (unsigned i = 0; i < MANY; i++)
        size += (size_t)sprintf(text + size, "e4 ");
    size += (size_t)sprintf(text + size, "*\n1. d4 *");
    expect_games(text, size, "!\n|d4|*\n");
    memset(text, 'x', MANY * 24);
    memcpy(text, "[X \"", 4);
    size = MANY * 24;
    size += (size_t)sprintf(text + size, "\"]\n1. e4 *\n[X \"y\"] *");
    expect_games(text, size, "!\nX=y||*\n");
    memcpy(text, "1. {", 4); /* comments take no memory, so they may be as long as they like */
    size = MANY * 24;
    size += (size_t)sprintf(text + size, "} e4 *");
    expect_games(text, size, "|e4|*\n");
    free(text);
}

/* Every token of the text comes to lie across the end of what is read at once. */
static void expect_across_blocks(const char *text, const char *expected)
{
    enum { BLOCK = 1 << 16 };
    const size_t size = strlen(text);
    char *const padded = malloc(3 * BLOCK + size);
    assert_non_null(padded);
    for (unsigned block = BLOCK; block <= 2 * BLOCK; block += BLOCK)
        for (unsigned before = 0; before < size + 3; before++) {
            const size_t padding = block - before;
            memset(padded, 'x', padding);
            memcpy(padded, "{c", 2);
            memcpy(padded + padding - 2, "}\n", 2);
            memcpy(padded + padding, text, size);
            expect_games(padded, padding + size, expected);
        }
    free(padded);
}

static void blocks(void **state)
{
    enum { LONG = 600 }; /* more than the reader looks ahead */
    char text[LONG + 32], expected[LONG + 32], value[LONG + 1];
    (void)state;
    expect_across_blocks(
        "[Event \"a \\\"b\\\"\"]\r\n[Site \"\xE9\" ]\n\n1. e4! {c\n[%x]} e5 (1... d5 $10 (1... "
        "c5)) "
        "2. Nf3 Nc6 3.O-O-O\r\n%x\ne8=Q+ e.p. ; x\n 1/2-1/2 {d}\n\n\xEF\xBB\xBF[Event \"z\"]\n1. "
        "c4",
        "Event=a \"b\"|Site=\xC3\xA9|e4 e5 Nf3 Nc6 O-O-O e8=Q+|1/2-1/2\nEvent=z|c4|\n");
    memset(value, 'x', LONG);
    value[LONG] = '\0';
    snprintf(text, sizeof text, "[Site \"%s\\\"]\"]\n1. e4 *", value);
    snprintf(expected, sizeof expected, "Site=%s\"]|e4|*\n", value);
    expect_across_blocks(text, expected);
}

/* At a quotation mark within a value the reader reads on, and its buffer moves: what lies where the
 * mark was, here a NUL of the next game's comment, is none of this tag's. */
static void quotation_marks_at_ends_of_blocks(void **state)
{
    enum { SIZE = 700, VALUE = 7, MARK = 300, NUL = 2 * MARK + 1 };
    static const char rest[] = "\"y\"]\n\n1. e4 *\n\n1. d4 {";
    char text[SIZE], expected[SIZE];
    (void)state;
    memset(text, 'x', SIZE);
    memcpy(text, "[Site \"", VALUE);
    memcpy(text + MARK, rest, sizeof rest - 1);
    text[NUL] = '\0';
    memcpy(text + SIZE - 3, "} *", 3);
    snprintf(expected, sizeof expected, "Site=%.*s\"y|e4|*\n|d4|*\n", MARK - VALUE, text + VALUE);
    expect_games(text, SIZE, expected);
}

/* A long comment's line ends are counted, wherever a block ends: lines longer than what the reader
 * looks ahead, moved on byte by byte. */
static void lines_of_long_comments(void **state)
{
    enum { LINES = 120, LINE_LENGTH = 601 };
    char *const text = malloc((LINES + 1) * (LINE_LENGTH + 2));
    (void)state;
    assert_non_null(text);
    for (int shift = 0; shift < LINE_LENGTH; shift++) {
        struct source source = {0};
        const struct pm_pgn_game *game = NULL;
        size_t size = (size_t)sprintf(text, "{%*s", shift, "");
        for (unsigned i = 0; i < LINES; i++)
            size += (size_t)sprintf(text + size, "%*s", LINE_LENGTH, "\r\n");
        size += (size_t)sprintf(text + size, "} 1. e4 *");
        open_text(&source, text, size);
        assert_int_equal(pm_pgn_next(source.reader, &game, NULL), PM_OK);
        assert_int_equal(game->moves[0].line, LINES + 1);
        assert_int_equal(game->moves[0].column, 6);
        close_source(&source);
    }
    free(text);
}

static void places_and_numbers(void **state)
{
    static const char text[] =
        "\n  [X \"y\"] [Z \"\"]\n\n1. e4 e5 {c} 2.d4\r\n(2. c4 99. c5 $1) d5\r"
        "  17... c4!\n99999999999999999999. c5 *\ne2e4 *";
    static const struct {
        unsigned number, line, column;
    } moves[] = {{1, 4, 4}, {1, 4, 7}, {2, 4, 16}, {2, 5, 19}, {17, 6, 9}, {UINT32_MAX, 7, 23}};
    struct source source = {0};
    const struct pm_pgn_game *game = NULL;
    (void)state;
    open_text(&source, text, sizeof text - 1);
    assert_int_equal(pm_pgn_next(source.reader, &game, NULL), PM_OK);
    assert_non_null(game);
    assert_int_equal(game->index, 1);
    assert_int_equal(game->line, 2);
    assert_int_equal(game->tag_count, 2);
    assert_int_equal(game->tags[0].line, 2);
    assert_int_equal(game->tags[0].column, 3);
    assert_int_equal(game->tags[1].column, 11);
    assert_int_equal(game->move_count, LENGTH(moves));
    for (size_t i = 0; i < LENGTH(moves); i++) {
        assert_int_equal(game->moves[i].number, moves[i].number);
        assert_int_equal(game->moves[i].line, moves[i].line);
        assert_int_equal(game->moves[i].column, moves[i].column);
    }
    assert_int_equal(game->variations, 1);
    assert_int_equal(game->comments, 1);
    assert_int_equal(game->glyphs, 2);
    assert_int_equal(pm_pgn_next(source.reader, &game, NULL), PM_OK);
    assert_int_equal(game->index, 2);
    assert_int_equal(game->line, 8);
    assert_int_equal(game->moves[0].number, 0); /* nothing stays from the game before */
    close_source(&source);
}

static void tags_by_name(void **state)
{
    static const char text[] = "[White \"A\"]\n[white \"B\"]\n[Black \"\"]\n*";
    struct source source = {0};
    const struct pm_pgn_game *game = NULL;
    (void)state;
    open_text(&source, text, sizeof text - 1);
    assert_int_equal(pm_pgn_next(source.reader, &game, NULL), PM_OK);
    assert_string_equal(pm_pgn_tag(game, "WHITE"), "A");
    assert_string_equal(pm_pgn_tag(game, "Black"), "");
    assert_null(pm_pgn_tag(game, "Whit"));
    close_source(&source);
}

static void copies(void **state)
{
    static const char text[] = "[White \"A\"]\n[Black \"B\"]\n1. e4 e5 {c} 2. d4 0-1\n*\n1. c4\n";
    static const char *const expected[] = {"White=A|Black=B|e4 e5 d4|0-1\n", "||*\n", "|c4|\n"};
    struct source source = {0};
    struct pm_pgn_game *games[LENGTH(expected)];
    const struct pm_pgn_game *game = NULL;
    (void)state;
    open_text(&source, text, sizeof text - 1);
    for (size_t i = 0; i < LENGTH(expected); i++) {
        assert_int_equal(pm_pgn_next(source.reader, &game, NULL), PM_OK);
        games[i] = pm_pgn_copy(game);
        assert_non_null(games[i]);
    }
    close_source(&source); /* what the copies must not need */
    for (size_t i = 0; i < LENGTH(expected); i++) {
        char *written = NULL;
        size_t size = 0;
        FILE *const file = open_memstream(&written, &size);
        write_game(file, games[i], false);
        fclose(file);
        assert_string_equal(written, expected[i]);
        assert_int_equal(games[i]->index, i + 1);
        free(written);
        free(games[i]);
    }
}

static void files(void **state)
{
    static const struct {
        const char *name;
        unsigned games, faults, tags, moves, variations, comments, glyphs;
    } rows[] = {
        {"annotated", 1, 0, 7, 9, 3, 6, 8},
        {"black_first", 1, 0, 3, 3, 0, 0, 0},
        {"byte_order_mark", 2, 0, 14, 2, 0, 0, 0},
        {"carriage_return", 2, 0, 14, 8, 0, 0, 0},
        {"carriage_return_line_feed", 1, 0, 7, 4, 0, 0, 0},
        {"chess960", 1, 0, 10, 6, 0, 2, 0},
        {"empty_lines", 1, 0, 5, 7, 0, 0, 0},
        {"en_passant", 1, 0, 7, 11, 0, 0, 0},
        {"faults", 4, 2, 4, 7, 0, 0, 0},
        {"no_empty_lines", 4, 0, 8, 6, 0, 0, 0},
        {"no_result", 3, 0, 6, 4, 0, 0, 0},
        {"no_tags", 4, 0, 0, 9, 0, 0, 0},
        {"null_moves", 1, 0, 7, 6, 0, 0, 0},
        {"numbers", 1, 0, 7, 14, 0, 0, 0},
        {"one_line", 2, 0, 7, 5, 0, 0, 0},
        {"prose", 2, 0, 14, 6, 0, 0, 0},
        {"quotes", 1, 0, 7, 1, 0, 0, 0},
        {"uci_moves", 1, 0, 7, 9, 0, 0, 0},
        {"windows_1252", 1, 0, 7, 2, 0, 1, 0},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char path[512];
        struct source source = {0};
        const struct pm_pgn_game *game = NULL;
        size_t games = 0, faults = 0, tags = 0, moves = 0;
        uint64_t variations = 0, comments = 0, glyphs = 0;
        snprintf(path, sizeof path, FILES "%s.pgn", rows[i].name);
        open_path(&source, path);
        for (;;) {
            if (pm_pgn_next(source.reader, &game, NULL) != PM_OK) {
                faults++;
                continue;
            }
            if (game == NULL)
                break;
            games++;
            tags += game->tag_count;
            moves += game->move_count;
            variations += game->variations;
            comments += game->comments;
            glyphs += game->glyphs;
            assert_int_equal(game->index, games + faults);
        }
        if (games != rows[i].games || faults != rows[i].faults || tags != rows[i].tags ||
            moves != rows[i].moves || variations != rows[i].variations ||
            comments != rows[i].comments || glyphs != rows[i].glyphs)
            fail_msg(
                "%s: %zu games, %zu faults, %zu tags, %zu moves, %ju variations, %ju comments, "
                "%ju glyphs",
                rows[i].name, games, faults, tags, moves, (uintmax_t)variations,
                (uintmax_t)comments, (uintmax_t)glyphs);
        close_source(&source);
    }
}

static void encodings_of_files(void **state)
{
    static const struct {
        const char *file, *tag, *value;
    } rows[] = {
        {FILES "windows_1252.pgn", "Event",
         "Caf\xC3\xA9 \xE2\x80\x9EZum L\xC3\xA4ufer\xE2\x80\x9C \xE2\x80\x93 5 \xE2\x82\xAC"},
        {FILES "byte_order_mark.pgn", "White", "J\xC3\xB6rg"},
        {FILES "quotes.pgn", "Event", "The \"big\" one"},
        {FILES "quotes.pgn", "Site", "C:\\games\\old"},
        {FILES "quotes.pgn", "White", "Robert \"Bobby\" Example"},
        {FILES "quotes.pgn", "Annotator", "blanks "},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct source source = {0};
        const struct pm_pgn_game *game = NULL;
        open_path(&source, rows[i].file);
        assert_int_equal(pm_pgn_next(source.reader, &game, NULL), PM_OK);
        assert_string_equal(pm_pgn_tag(game, rows[i].tag), rows[i].value);
        close_source(&source);
    }
}

/* A damaged archive ends the reading, whatever the caller does. */
static void damaged_archives(void **state)
{
    static const char text[] = "\x1F\x8B\x08\x00\x00\x00\x00\x00\x00\x03\xFF\xFF";
    struct source source = {0};
    struct pm_error error;
    const struct pm_pgn_game *game = NULL;
    (void)state;
    open_text(&source, text, sizeof text - 1);
    assert_int_equal(pm_pgn_next(source.reader, &game, &error), PM_ERROR_IO);
    assert_non_null(strstr(error.text, "damaged gzip file"));
    assert_null(game);
    assert_int_equal(pm_pgn_next(source.reader, &game, &error), PM_OK);
    assert_null(game);
    close_source(&source);
}

static size_t memory_in_use(void)
{
    const struct mallinfo2 info = mallinfo2(); /* all 0 under a sanitizer */
    return info.uordblks + info.hblkhd;
}

static void constant_memory(void **state)
{
    enum { GAMES = 100000, WARM_UP = 100 };
    static const char text[] =
        "[Event \"x\"]\n[White \"A\"]\n\n1. e4 {c} e5 2. Nf3 (2. f4) Nc6 1-0\n\n";
    struct source source = {0};
    const struct pm_pgn_game *game = NULL;
    uint64_t games = 0;
    size_t memory = 0;
    (void)state;
    char *const all = malloc(GAMES * (sizeof text - 1));
    assert_non_null(all);
    for (size_t i = 0; i < GAMES; i++)
        memcpy(all + i * (sizeof text - 1), text, sizeof text - 1);
    open_text(&source, all, GAMES * (sizeof text - 1));
    while (pm_pgn_next(source.reader, &game, NULL) == PM_OK && game != NULL) {
        games = game->index;
        assert_int_equal(game->move_count, 4);
        if (games == WARM_UP)
            memory = memory_in_use();
    }
    assert_int_equal(games, GAMES);
    assert_int_equal(memory_in_use(), memory);
    close_source(&source);
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oddities),
        cmocka_unit_test(typographic_texts),
        cmocka_unit_test(moves_alone),
        cmocka_unit_test(malformed_texts),
        cmocka_unit_test(notes),
        cmocka_unit_test(many_notes),
        cmocka_unit_test(long_texts),
        cmocka_unit_test(blocks),
        cmocka_unit_test(quotation_marks_at_ends_of_blocks),
        cmocka_unit_test(lines_of_long_comments),
        cmocka_unit_test(places_and_numbers),
        cmocka_unit_test(tags_by_name),
        cmocka_unit_test(copies),
        cmocka_unit_test(files),
        cmocka_unit_test(encodings_of_files),
        cmocka_unit_test(damaged_archives),
        cmocka_unit_test(constant_memory),
    };
    return cmocka_run_group_tests_name("pgn", tests, NULL, NULL);
}
