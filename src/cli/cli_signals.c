/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_signals.h"

#include "sharc/crawl.h"
#include "sharc/store.h"
#include "sharc/watch.h"

#include <signal.h>
#include <unistd.h>

static volatile bool stop_asked;
/* Written only while no handler that reads it is installed. */
static struct sharc_crawl *running;
static struct sharc_watching *watching;

static void handle(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static void raise_flag(int number)
{
    (void)number;
    sharc_store_end_soon();
    __atomic_store_n(&stop_asked, true, __ATOMIC_RELEASE);
}

/* The first asks for a stop, the second for haste. A program that waits for somebody who does not answer hears
 * neither (a database is not waited for long then): the third ends it, which loses nothing that was committed. */
static void count_signal(int number)
{
    sharc_store_end_soon();
    static volatile sig_atomic_t heard;
    heard = heard + 1;
    if (heard < 3) return;
    handle(number, SIG_DFL, 0);
    raise(number);
}

static void stop_crawl(int number)
{
    sharc_crawl_stop(running);
    count_signal(number);
}

static void stop_watch(int number)
{
    sharc_watching_stop(watching);
    count_signal(number);
}

static void reread_settings(int number)
{
    (void)number;
    sharc_crawl_reread(running);
}

const volatile bool *cli_signals_flag(void)
{
    handle(SIGINT, raise_flag, (int)SA_RESETHAND | SA_RESTART);
    handle(SIGTERM, raise_flag, (int)SA_RESETHAND | SA_RESTART);
    return &stop_asked;
}

void cli_signals_crawl(struct sharc_crawl *crawl)
{
    bool terminal = isatty(STDIN_FILENO) || isatty(STDERR_FILENO);
    running = crawl;
    handle(SIGINT, stop_crawl, 0);
    handle(SIGTERM, stop_crawl, 0);
    handle(SIGHUP, terminal ? stop_crawl : reread_settings, 0);
}

void cli_signals_watch(struct sharc_watching *watch)
{
    bool terminal = isatty(STDIN_FILENO) || isatty(STDERR_FILENO);
    watching = watch;
    handle(SIGINT, stop_watch, 0);
    handle(SIGTERM, stop_watch, 0);
    handle(SIGHUP, terminal ? stop_watch : SIG_IGN, 0);
}

void cli_signals_release(void)
{
    handle(SIGINT, SIG_DFL, 0);
    handle(SIGTERM, SIG_DFL, 0);
    handle(SIGHUP, SIG_DFL, 0);
    running = NULL;
    watching = NULL;
}
