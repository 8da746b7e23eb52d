/* SPDX-License-Identifier: MIT */
/* Engines that misbehave, one a mode, to show that each is found out: `test_engine MODE`. At heart
 * the reference kernel over UCI; `test_engine script-MODE DEPTH FEN [MOVES]` prints one divide. */
#include "engines/uci_serve.h"
#include "kernels/registry.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *mode;
static struct pm_uci_server *server;

static bool is_mode(const char *name)
{
    return strcmp(mode, name) == 0;
}

static bool begins(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

static void hang(void)
{
    for (;;)
        pause();
}

static void crash(void)
{
    signal(SIGSEGV, SIG_DFL); /* a sanitizer would catch it */
    fputs("about to crash\n", stderr);
    raise(SIGSEGV);
}

static void flood(const char *text, size_t size)
{
    while (fwrite(text, 1, size, stdout) == size)
        ;
    exit(1);
}

/* The honest answer, to be told otherwise. Free it. */
static char *answer(const char *line)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (file == NULL)
        exit(1);
    pm_uci_serve_line(server, line, file);
    fclose(file);
    return text;
}

/* Copies the answer line by line, changed as the mode says. */
static void retell(const char *line)
{
    char *text = answer(line);
    char *rest = text;
    int number = 0;
    for (char *next = strsep(&rest, "\n"); next != NULL; next = strsep(&rest, "\n"), number++) {
        char *colon = strchr(next, ':');
        const bool is_total = begins(next, "Nodes");
        if (colon == NULL)
            continue;
        if (is_mode("only-totals"))
            is_total ? puts(colon + 2) : 0;
        else if (is_mode("no-newline"))
            is_total ? printf("info string nodes\033[1m %s\033[0m", colon + 2) : 0;
        else if (is_mode("lie-total") && is_total)
            puts("Nodes searched: 12345");
        else if (is_mode("lie-part") && number == 0)
            printf("%.*s: 7\n", (int)(colon - next), next);
        else if (is_mode("no-total"))
            is_total ? 0 : puts(next);
        else if (is_mode("upper-case") && !is_total)
            printf("%d. %.4s%c - %s  (with words)\n", number + 1, next,
                   next[4] >= 'a' ? next[4] - 32 : ' ', colon + 2);
        else if (is_mode("upper-case"))
            printf("info string done\nTotal time (ms): 5\nTotal nodes: %s\n", colon + 2);
        else
            puts(next);
    }
    free(text);
}

static void obey_go(const char *line)
{
    static const char binary[] = "\x7F\0\xFF\n";
    if (is_mode("hang-go"))
        hang();
    if (is_mode("crash-go") && strcmp(line, "go perft 1\n") != 0)
        crash();
    if (is_mode("flood"))
        flood("nothing to see here\n", 20);
    if (is_mode("long-line"))
        flood("abc ", 4);
    if (is_mode("binary"))
        flood(binary, sizeof binary - 1);
    if (is_mode("slow"))
        usleep(100000);
    if (is_mode("search"))
        puts("info depth 1 nodes 20\nbestmove e2e4");
    else if (is_mode("total-only"))
        puts("20");
    else if (!is_mode("silent"))
        retell(line);
}

static void obey_position(const char *line)
{
    char *copy = strdup(line);
    if (copy == NULL)
        exit(1);
    if (is_mode("exit-position") && begins(line, "position fen"))
        exit(3);
    if (is_mode("no-moves") && strstr(copy, " moves") != NULL)
        strcpy(strstr(copy, " moves"), "\n");
    char *rights = strstr(copy, " KQkq ");
    if (is_mode("no-rights") && rights != NULL)
        memcpy(rights, " -    ", 6);
    if (is_mode("refuse-well") && begins(line, "position fen"))
        puts("info string refused: not today");
    else if (begins(mode, "refuse") && begins(line, "position fen"))
        puts("info string Invalid FEN, sorry");
    if (is_mode("refuse-silent"))
        pm_uci_serve_line(server, "position", stdout); /* now it has none */
    const bool is_ignored =
        is_mode("keep") || begins(mode, "refuse") || (is_mode("keep-some") && rights != NULL);
    if (!is_ignored || begins(line, "position startpos"))
        pm_uci_serve_line(server, copy, stdout);
    free(copy);
}

/* False at the end. */
static bool obey(const char *line)
{
    if (begins(line, "go"))
        obey_go(line);
    else if (begins(line, "position"))
        obey_position(line);
    else if (begins(line, "uci") && is_mode("hang-uci"))
        hang();
    else if (begins(line, "uci") && is_mode("no-chess960"))
        puts("uciok");
    else
        return pm_uci_serve_line(server, line, stdout);
    return true;
}

static int serve(void)
{
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) >= 0 && obey(line))
        fflush(stdout);
    free(line);
    return 0;
}

static int print_divide(char **arguments)
{
    char line[8192];
    const char *moves = arguments[2] != NULL ? arguments[2] : "";
    if (is_mode("script-hang"))
        hang();
    if (is_mode("script-crash"))
        crash();
    if (is_mode("script-exit"))
        return 4;
    if (is_mode("script-flood"))
        flood("e2e4 once more\n", 15);
    if (is_mode("script-silent"))
        return 0;
    if (is_mode("script-refuse"))
        return 77;
    pm_uci_serve_line(server, "setoption name UCI_Chess960 value true", stdout);
    snprintf(line, sizeof line, "position fen %s moves %s", arguments[1], moves);
    pm_uci_serve_line(server, line, stdout);
    snprintf(line, sizeof line, "go perft %s", arguments[0]);
    char *text = answer(line);
    char *rest = text;
    for (char *next = strsep(&rest, "\n"); next != NULL; next = strsep(&rest, "\n")) {
        char *colon = strchr(next, ':');
        if (colon != NULL && begins(next, "Nodes"))
            printf("\n%s\n", is_mode("script-lie") ? "3" : colon + 2);
        else if (colon != NULL && !is_mode("script-total"))
            printf("%.*s%s\n", (int)(colon - next), next, colon + 1);
    }
    free(text);
    return 0;
}

int main(int argc, char **argv)
{
    const struct pm_kernel *kernel = pm_kernel_find("reference");
    if (argc < 2 || kernel == NULL || kernel->init() != PM_OK ||
        pm_uci_server_open(kernel, PM_MODE_BULK, 8, &server) != PM_OK)
        return 2;
    mode = argv[1];
    const int code = begins(mode, "script") && argc >= 4 ? print_divide(argv + 2) : serve();
    pm_uci_server_close(server);
    return code;
}
