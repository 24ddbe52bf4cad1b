/* SPDX-License-Identifier: Apache-2.0
 *
 * How the browser is called: where it is, with which arguments and environment.
 */
#include "browser_int.h"

#include "sharc/base_file.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

char *sharc_browser_find(const char *path, bool window)
{
    /* The first two can show no window, and start with a sixth of the work. Debian's command for the first is a script
     * that stays between us and the browser, which would outlive its guard: so not that. */
    static const char *const names[] = {"../lib/chromium/chromium-headless-shell",
                                        "chrome-headless-shell",
                                        "chromium",
                                        "chromium-browser",
                                        "google-chrome-stable",
                                        "google-chrome",
                                        "chrome",
                                        "brave-browser",
                                        "microsoft-edge",
                                        NULL};
    for (size_t i = window ? 2 : 0; names[i]; i++) {
        struct sharc_span rest = sharc_span_of(path ? path : ""), dir;
        while (sharc_span_next(&rest, ':', &dir)) {
            SHARC_AUTO(sharc_freep) char *place = dir.n ? sharc_span_dup(dir) : sharc_strdup(".");
            SHARC_AUTO(sharc_freep) char *file = sharc_path_join(place, names[i]);
            struct stat st;
            if (stat(file, &st) == 0 && S_ISREG(st.st_mode) && access(file, X_OK) == 0) return SHARC_TAKE(file);
        }
    }
    return NULL;
}

/* --- arguments ---------------------------------------------------------------------------------- */

struct strings {
    char **items;
    size_t count, room;
};

static void add(struct strings *s, char *text)
{
    SHARC_GROW(s->items, s->room, s->count + 2);
    s->items[s->count++] = text;
    s->items[s->count] = NULL;
}

void sharc__browser_strings_free(char ***strings)
{
    for (size_t i = 0; *strings && (*strings)[i]; i++) free((*strings)[i]);
    free(*strings);
    *strings = NULL;
}

/* In front of its options, which are none of ours. */
#define DASHES "--"

/* Of the browser's own: what would ask somewhere for something, or change how a page is loaded. */
static const char features[] =
    "Translate,OptimizationHints,MediaRouter,InterestFeedContentSuggestions,AutofillServerCommunication,"
    "CertificateTransparencyComponentUpdater,Prerender2,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,"
    "PrivacySandboxSettings4";

/* What a page could do without asking for anything by HTTP, and what the browser does on its own account. */
static const char *const always[] = {
    "remote-debugging-pipe",
    /* Nobody can listen there, and names lead nowhere: also what asks no proxy finds nobody. */
    "proxy-server=http://127.0.0.1:1",
    "proxy-bypass-list=<-loopback>",
    "host-resolver-rules=MAP * ~NOTFOUND",
    "dns-prefetch-disable",
    "disable-quic",
    "force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "webrtc-ip-handling-policy=disable_non_proxied_udp",
    "enforce-webrtc-ip-permission-check",
    "no-first-run",
    "no-default-browser-check",
    "no-service-autorun",
    "no-pings",
    "disable-background-networking",
    "disable-component-update",
    "disable-component-extensions-with-background-pages",
    "disable-default-apps",
    "disable-domain-reliability",
    "disable-extensions",
    "disable-sync",
    "disable-breakpad",
    "disable-crash-reporter",
    "disable-client-side-phishing-detection",
    "disable-search-engine-choice-screen",
    "metrics-recording-only",
    "password-store=basic",
    "use-mock-keychain",
    "force-color-profile=srgb",
    "autoplay-policy=no-user-gesture-required",
    "disable-backgrounding-occluded-windows",
    "disable-renderer-backgrounding",
    "disable-background-timer-throttling",
};

char **sharc__browser_arguments(const struct sharc_browser_options *o, const char *directory)
{
    struct strings s = {NULL, 0, 0};
    add(&s, sharc_strdup(o->program));
    for (size_t i = 0; i < SHARC_LENGTH(always); i++) add(&s, sharc_asprintf(DASHES "%s", always[i]));
    add(&s, sharc_asprintf(DASHES "disable-features=%s", features));
    add(&s, sharc_asprintf(DASHES "user-data-dir=%s/profile", directory));
    add(&s, sharc_asprintf(DASHES "window-size=%u,%u", o->width ? o->width : 1280, o->height ? o->height : 800));
    add(&s, sharc_asprintf(DASHES "lang=%s", o->language ? o->language : "en-US"));
    add(&s, sharc_asprintf(DASHES "accept-lang=%s", o->language ? o->language : "en-US"));
    if (!o->window) {
        add(&s, sharc_strdup(DASHES "headless"));
        add(&s, sharc_strdup(DASHES "hide-scrollbars"));
        add(&s, sharc_strdup(DASHES "mute-audio"));
        add(&s, sharc_strdup(DASHES "disable-gpu"));
    }
    if (geteuid() == 0) add(&s, sharc_strdup(DASHES "no-sandbox")); /* as root it starts in no other way */
    add(&s, sharc_strdup("about:blank"));
    return s.items;
}

/* --- environment ------------------------------------------------------------------------------------ */

static bool is_named(const char *entry, const char *name)
{
    size_t n = strlen(name);
    return strncmp(entry, name, n) == 0 && entry[n] == '=';
}

static const char *value_of(char *const *environment, const char *name)
{
    for (size_t i = 0; environment && environment[i]; i++)
        if (is_named(environment[i], name)) return environment[i] + strlen(name) + 1;
    return NULL;
}

char **sharc__browser_environment(const struct sharc_browser_options *o, const char *directory)
{
    /* What would have it write, or look for settings, outside its directory. */
    static const char *const own[] = {"HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", NULL};
    static const char *const none[] = {"DBUS_SESSION_BUS_ADDRESS", "CHROMIUM_FLAGS", "CHROMIUM_USER_FLAGS", NULL};
    struct strings s = {NULL, 0, 0};
    for (size_t i = 0; o->environment && o->environment[i]; i++) {
        bool keep = true;
        for (size_t k = 0; own[k]; k++) keep = keep && !is_named(o->environment[i], own[k]);
        for (size_t k = 0; none[k]; k++) keep = keep && !is_named(o->environment[i], none[k]);
        if (keep) add(&s, sharc_strdup(o->environment[i]));
    }
    for (size_t k = 0; own[k]; k++)
        add(&s, sharc_asprintf("%s=%s%s", own[k], directory, strcmp(own[k], "TMPDIR") == 0 ? "/tmp" : "/home"));
    const char *home = value_of(o->environment, "HOME");
    if (home && value_of(o->environment, "DISPLAY") && !value_of(o->environment, "XAUTHORITY"))
        add(&s, sharc_asprintf("XAUTHORITY=%s/.Xauthority", home));
    return s.items;
}
