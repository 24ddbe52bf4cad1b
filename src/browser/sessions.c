/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions: everything that can run scripts or ask for something is attached, once, before it begins.
 */
#include "browser_int.h"

#include <stdlib.h>

void sharc__browser_sessions_done(struct browser_sessions *s)
{
    for (size_t i = 0; i < s->count; i++) free(s->items[i]);
    free(s->items);
}

struct sharc_browser_session *sharc__browser_session(const struct browser_sessions *s, struct sharc_span id)
{
    for (size_t i = 0; id.n && i < s->count; i++)
        if (sharc_span_is(id, s->items[i]->id)) return s->items[i];
    return NULL;
}

static struct sharc_browser_session *of_target(const struct browser_sessions *s, struct sharc_span target)
{
    for (size_t i = 0; i < s->count; i++)
        if (sharc_span_is(target, s->items[i]->target)) return s->items[i];
    return NULL;
}

static bool copy(char *out, size_t room, struct sharc_span s)
{
    if (!s.n || s.n >= room) return false;
    memcpy(out, s.p, s.n);
    out[s.n] = 0;
    return true;
}

void sharc__browser_attach_all(struct sharc_browser *b, const struct sharc_browser_session *s)
{
    struct sharc_json *j = sharc_browser_begin(b, s, "Target.setAutoAttach");
    sharc_json_bool(j, "autoAttach", true);
    sharc_json_bool(j, "waitForDebuggerOnStart", true);
    sharc_json_bool(j, "flatten", true);
    sharc_browser_send(b);
}

static void let_run(struct sharc_browser *b, const struct sharc_browser_session *s)
{
    sharc_browser_begin(b, s, "Runtime.runIfWaitingForDebugger");
    sharc_browser_send(b);
}

/* Workers are attached by their page and by the browser. A page's target is asked by its first session alone; what
 * the second one waits for is let go. */
static void drop_twin(struct sharc_browser *b, const struct sharc_browser_session *from,
                      const struct sharc_browser_session *twin)
{
    let_run(b, twin);
    struct sharc_json *j = sharc_browser_begin(b, from, "Target.detachFromTarget");
    sharc_json_str(j, "sessionId", twin->id);
    sharc_browser_send(b);
}

static void attached(struct sharc_browser *b, const struct sharc_node *params, struct sharc_browser_session *from)
{
    const struct sharc_node *info = sharc_node_get(params, "targetInfo");
    struct sharc_browser_session fresh = {.parent = from};
    if (!copy(fresh.id, sizeof fresh.id, sharc_node_text(sharc_node_get(params, "sessionId"))) ||
        !copy(fresh.target, sizeof fresh.target, sharc_node_text(sharc_node_get(info, "targetId"))) ||
        !copy(fresh.kind, sizeof fresh.kind, sharc_node_text(sharc_node_get(info, "type"))))
        return;
    copy(fresh.context, sizeof fresh.context, sharc_node_text(sharc_node_get(info, "browserContextId")));
    if (sharc__browser_session(&b->sessions, sharc_span_of(fresh.id))) return;
    if (of_target(&b->sessions, sharc_span_of(fresh.target))) {
        drop_twin(b, from, &fresh);
        return;
    }
    if (b->sessions.count >= SHARC_LIMIT_BROWSER_SESSIONS) return;
    struct sharc_browser_session *s = SHARC_NEW(struct sharc_browser_session);
    *s = fresh;
    SHARC_GROW(b->sessions.items, b->sessions.room, b->sessions.count + 1);
    b->sessions.items[b->sessions.count++] = s;
    /* Chromium's own pages, of which a window has some, belong to nobody. */
    if (strcmp(s->kind, "browser_ui") != 0) {
        const struct sharc_browser_event e = {.kind = SHARC_BROWSER_ATTACHED, .session = s};
        sharc__browser_tell(b, &e);
        sharc__browser_attach_all(b, s);
    }
    let_run(b, s);
}

static void detach(struct sharc_browser *b, struct sharc_browser_session *s)
{
    for (size_t i = 0; i < b->sessions.count;) { /* what it had attached has gone with it */
        if (b->sessions.items[i]->parent == s) {
            detach(b, b->sessions.items[i]);
            i = 0;
        } else {
            i++;
        }
    }
    const struct sharc_browser_event e = {.kind = SHARC_BROWSER_DETACHED, .session = s};
    if (strcmp(s->kind, "browser_ui") != 0) sharc__browser_tell(b, &e);
    size_t at = 0;
    while (b->sessions.items[at] != s) at++;
    b->sessions.count--;
    memmove(&b->sessions.items[at], &b->sessions.items[at + 1], (b->sessions.count - at) * sizeof *b->sessions.items);
    free(s);
}

bool sharc__browser_target_event(struct sharc_browser *b, const struct browser_message *m,
                                 struct sharc_browser_session *from)
{
    if (sharc_span_is(m->method, "Target.attachedToTarget")) {
        attached(b, m->body, from);
        return true;
    }
    if (!sharc_span_is(m->method, "Target.detachedFromTarget")) return false;
    struct sharc_span id = sharc_node_text(sharc_node_get(m->body, "sessionId"));
    struct sharc_browser_session *s = sharc__browser_session(&b->sessions, id);
    if (s) detach(b, s);
    return true;
}

struct sharc_browser_session *sharc_browser_nth(const struct sharc_browser *b, size_t i)
{
    return i < b->sessions.count ? b->sessions.items[i] : NULL;
}
