/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables, as steps from nothing to the present version. A step that has been
 * released is never edited: a change is a new step at the end. docs/catalogue.md
 * says why the tables look like this.
 *
 * To add a step: append its script here and what it must preserve to
 * tests/store/test_open.c.
 */
#include "store_int.h"

/* Times are microseconds since 1970. (key, mark) are 128 bits of SHA-256 of what
 * the row stands for: texts, link sets and contents are stored once. */
static const char step_1[] =
    "CREATE TABLE site ("
    "  id {id}, name {text} NOT NULL UNIQUE, seeds TEXT, settings TEXT);"

    "CREATE TABLE host ("
    "  id {id}, key BIGINT NOT NULL, mark BIGINT NOT NULL, name {text} NOT NULL, next BIGINT, backoff BIGINT,"
    "  robots {bytes}, robots_when BIGINT, robots_status BIGINT, UNIQUE (key, mark));"

    "CREATE TABLE url ("
    "  id {id}, key BIGINT NOT NULL, mark BIGINT NOT NULL, host BIGINT, text {text} NOT NULL, surt {text} NOT NULL,"
    "  UNIQUE (key, mark));"

    "CREATE TABLE capture ("
    "  id {id}, site BIGINT REFERENCES site (id), key {text} UNIQUE, strategy TEXT, purpose TEXT, params TEXT,"
    "  source TEXT, started BIGINT, ended BIGINT, reference BIGINT, state SMALLINT NOT NULL);"

    "CREATE TABLE warc ("
    "  id {id}, name {text} NOT NULL UNIQUE, size BIGINT NOT NULL, digest TEXT, state SMALLINT NOT NULL,"
    "  done BIGINT NOT NULL, records BIGINT NOT NULL, capture BIGINT);"

    /* What the page looked like, once for all captures in which it looked the same. */
    "CREATE TABLE content ("
    "  id {id}, key BIGINT NOT NULL, mark BIGINT NOT NULL, title TEXT, minhash {bytes}, stated BIGINT,"
    "  words BIGINT, images BIGINT, tables BIGINT, out_links BIGINT, UNIQUE (key, mark));"

    "CREATE TABLE link_set ("
    "  id {id}, key BIGINT NOT NULL, mark BIGINT NOT NULL, links BIGINT NOT NULL, data {bytes} NOT NULL,"
    "  UNIQUE (key, mark));"

    "CREATE TABLE page ("
    "  capture BIGINT NOT NULL, url BIGINT NOT NULL, visit BIGINT NOT NULL, slot BIGINT, took BIGINT,"
    "  size BIGINT, modified BIGINT, parent BIGINT, redirect BIGINT, warc BIGINT, warc_offset BIGINT,"
    "  warc_length BIGINT, body_warc BIGINT, body_offset BIGINT, body_length BIGINT, content BIGINT,"
    "  link_set BIGINT, planned_rate DOUBLE PRECISION, weight DOUBLE PRECISION, importance DOUBLE PRECISION,"
    "  rate DOUBLE PRECISION, status SMALLINT NOT NULL, hops INTEGER, change SMALLINT, record SMALLINT NOT NULL,"
    "  hopeless SMALLINT NOT NULL, digest {bytes}, text_digest {bytes}, mime {text}, etag TEXT,"
    "  PRIMARY KEY (capture, url)){keyed};"

    /* Second looks and revisits. */
    "CREATE TABLE look ("
    "  capture BIGINT NOT NULL, url BIGINT NOT NULL, kind SMALLINT NOT NULL, visit BIGINT NOT NULL, slot BIGINT,"
    "  took BIGINT, size BIGINT, modified BIGINT, warc BIGINT, warc_offset BIGINT, warc_length BIGINT,"
    "  importance DOUBLE PRECISION, rate DOUBLE PRECISION, status SMALLINT NOT NULL, change SMALLINT,"
    "  digest {bytes}, text_digest {bytes}, etag TEXT, PRIMARY KEY (capture, url, kind)){keyed};"

    "CREATE TABLE skipped ("
    "  capture BIGINT NOT NULL, url BIGINT NOT NULL, reason {text} NOT NULL, detail TEXT,"
    "  PRIMARY KEY (capture, url, reason)){keyed};"

    "CREATE TABLE known ("
    "  capture BIGINT NOT NULL, seq BIGINT NOT NULL, url BIGINT NOT NULL, via BIGINT, after_slot BIGINT NOT NULL,"
    "  rate DOUBLE PRECISION, weight DOUBLE PRECISION, hops INTEGER, kind SMALLINT NOT NULL,"
    "  PRIMARY KEY (capture, seq)){keyed};"

    "CREATE TABLE rate ("
    "  url BIGINT NOT NULL, source {text} NOT NULL, value DOUBLE PRECISION NOT NULL, low DOUBLE PRECISION,"
    "  high DOUBLE PRECISION, observations DOUBLE PRECISION, made BIGINT, PRIMARY KEY (url, source)){keyed};"

    "CREATE TABLE pattern ("
    "  url BIGINT NOT NULL, data {bytes} NOT NULL, cluster BIGINT, made BIGINT, PRIMARY KEY (url)){keyed};"

    "CREATE TABLE model ("
    "  name {text} NOT NULL, kind {text}, data {bytes} NOT NULL, info TEXT, made BIGINT, PRIMARY KEY (name)){keyed}";

/* Several machines. */
static const char step_2[] =
    "CREATE TABLE job ("
    "  id {id}, site BIGINT REFERENCES site (id), kind {text} NOT NULL, params TEXT, state SMALLINT NOT NULL,"
    "  priority BIGINT NOT NULL, due BIGINT, owner {text}, lease BIGINT, attempts BIGINT NOT NULL, capture BIGINT,"
    "  message TEXT)";

/* What resuming a capture needs, as the crawler writes it. */
static const char step_3[] =
    "CREATE TABLE journal ("
    "  capture BIGINT NOT NULL, seq BIGINT NOT NULL, data {bytes} NOT NULL, PRIMARY KEY (capture, seq)){keyed}";

/* The journal tells what became known when, and more. */
static const char step_4[] = "DROP TABLE known";

/* What a capture proves, page by page, and where pages of a site differ by themselves. Captures made
 * before have no grades: the rows cannot tell whether an answer was cut. */
static const char step_5[] =
    "CREATE TABLE grade ("
    "  capture BIGINT NOT NULL, url BIGINT NOT NULL, reason SMALLINT NOT NULL, known_from BIGINT, known_to BIGINT,"
    "  detail TEXT, PRIMARY KEY (capture, url)){keyed};"

    "CREATE TABLE place ("
    "  site BIGINT NOT NULL, signature BIGINT NOT NULL, kind {text} NOT NULL, text TEXT, pairs BIGINT NOT NULL,"
    "  differed BIGINT NOT NULL, first_seen BIGINT, last_seen BIGINT, PRIMARY KEY (site, signature)){keyed};"

    "ALTER TABLE capture ADD COLUMN reference_from BIGINT;"
    "ALTER TABLE capture ADD COLUMN reference_to BIGINT";

/* Watches: the pages, every look at them (a page's row holds the last one only), notes to go on by. */
static const char step_6[] =
    "CREATE TABLE watched ("
    "  capture BIGINT NOT NULL, url BIGINT NOT NULL, number BIGINT NOT NULL, since BIGINT NOT NULL, until BIGINT,"
    "  found SMALLINT NOT NULL, weight DOUBLE PRECISION, shortest BIGINT, longest BIGINT, gone BIGINT NOT NULL,"
    "  PRIMARY KEY (capture, url)){keyed};"

    "CREATE TABLE watch_look ("
    "  capture BIGINT NOT NULL, visit BIGINT NOT NULL, url BIGINT NOT NULL, took BIGINT, why SMALLINT NOT NULL,"
    "  status SMALLINT NOT NULL, shown SMALLINT NOT NULL, change SMALLINT, importance DOUBLE PRECISION, size BIGINT,"
    "  record SMALLINT NOT NULL, digest {bytes}, text_digest {bytes}, warc BIGINT, warc_offset BIGINT,"
    "  warc_length BIGINT, PRIMARY KEY (capture, visit, url)){keyed};"

    "CREATE TABLE watch_note ("
    "  name {text} NOT NULL, data {bytes} NOT NULL, made BIGINT, PRIMARY KEY (name)){keyed}";

/* What people decided about pages. */
static const char step_7[] =
    "CREATE TABLE review ("
    "  capture BIGINT NOT NULL, url BIGINT NOT NULL, review SMALLINT NOT NULL, note TEXT, who TEXT, reviewed BIGINT,"
    "  PRIMARY KEY (capture, url)){keyed}";

/* The queue: epochs, collections, schedules. Leases have a table of their own: heartbeats leave no dead rows of
 * jobs. A site has one job at a time (states 0 queued, 1 running, 4 paused). */
static const char step_8[] = "ALTER TABLE job ADD COLUMN collection {text} NOT NULL DEFAULT '';"
                             "ALTER TABLE job ADD COLUMN schedule TEXT;"
                             "ALTER TABLE job ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0;"
                             "ALTER TABLE job ADD COLUMN failures BIGINT NOT NULL DEFAULT 0;"
                             "ALTER TABLE job ADD COLUMN made BIGINT;"
                             "ALTER TABLE job ADD COLUMN begun BIGINT;"
                             "ALTER TABLE job ADD COLUMN ended BIGINT;"
                             "UPDATE job SET epoch = attempts, made = {now}, due = coalesce(due, {now}),"
                             "  state = CASE WHEN state = 1 THEN 0 ELSE state END, owner = NULL;"
                             "UPDATE job SET state = 5 WHERE state = 0 AND id NOT IN"
                             "  (SELECT min(id) FROM job WHERE state = 0 GROUP BY coalesce(site, -id));"
                             "ALTER TABLE job DROP COLUMN lease;"
                             "ALTER TABLE job DROP COLUMN attempts;"
                             "ALTER TABLE job DROP COLUMN priority;"
                             "CREATE INDEX job_due ON job (collection, state, due);"
                             "CREATE INDEX job_begun ON job (collection, begun);"
                             "CREATE UNIQUE INDEX job_site ON job (site) WHERE state IN (0, 1, 4);"

                             "CREATE INDEX warc_capture ON warc (capture);"

                             "CREATE TABLE collection (name {text} NOT NULL PRIMARY KEY){keyed};"
                             "INSERT INTO collection (name) VALUES ('');"

                             "CREATE TABLE lease ("
                             "  job BIGINT NOT NULL PRIMARY KEY, epoch BIGINT NOT NULL, until BIGINT NOT NULL){keyed}";

/* When a capture was written to last, and what is kept of captures beside their rows. */
static const char step_9[] =
    "CREATE TABLE revision (capture BIGINT NOT NULL PRIMARY KEY, value BIGINT NOT NULL){keyed};"

    "CREATE TABLE summary ("
    "  capture BIGINT NOT NULL, name {text} NOT NULL, version BIGINT NOT NULL, stamp BIGINT NOT NULL,"
    "  data {bytes} NOT NULL, PRIMARY KEY (capture, name)){keyed}";

/* Some of what is kept takes megabytes, and SQLite reads a whole row of a table that is its own index only to look at
 * its key. It can be made again, so that it need not be moved. */
static const char step_10[] =
    "DROP TABLE summary;"

    "CREATE TABLE summary ("
    "  capture BIGINT NOT NULL, name {text} NOT NULL, version BIGINT NOT NULL, stamp BIGINT NOT NULL,"
    "  data {bytes} NOT NULL, PRIMARY KEY (capture, name))";

/* Workers that live, with or without a job. */
static const char step_11[] =
    "CREATE TABLE worker ("
    "  name {text} NOT NULL PRIMARY KEY, begun BIGINT NOT NULL, beat BIGINT NOT NULL, lease BIGINT NOT NULL,"
    "  sites BIGINT NOT NULL){keyed}";

/* By which clock a host's pause was written down: one that was set since must not make it longer. */
static const char step_12[] = "ALTER TABLE host ADD COLUMN noted BIGINT";

/* A site may be watched and captured, each by a job of its own. */
static const char step_13[] = "DROP INDEX job_site;"
                              "CREATE UNIQUE INDEX job_site ON job (site, kind) WHERE state IN (0, 1, 4)";

/* A second look that finds another page finds other links and parts. */
static const char step_14[] = "ALTER TABLE look ADD COLUMN link_set BIGINT";

/* Every site that begins asks for its captures: among those of thousands of sites. */
static const char step_15[] = "CREATE INDEX capture_site ON capture (site)";

static const char *const steps[] = {step_1, step_2,  step_3,  step_4,  step_5,  step_6,  step_7, step_8,
                                    step_9, step_10, step_11, step_12, step_13, step_14, step_15};

int sharc_store_version(void)
{
    return (int)SHARC_LENGTH(steps);
}

char *sharc__store_words(const struct sharc__store_db *db, const char *sql)
{
    const struct {
        const char *word, *text;
    } words[] = {{"{id}", db->ops->id},       {"{text}", db->ops->text}, {"{bytes}", db->ops->bytes},
                 {"{keyed}", db->ops->keyed}, {"{now}", db->ops->now},   {"{take}", db->ops->take},
                 {"{share}", db->ops->share}};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(64u << 10);
    while (*sql) {
        size_t n = strcspn(sql, "{");
        sharc_buf_put(&out, sharc_span(sql, n));
        sql += n;
        size_t i = 0;
        while (*sql && i < SHARC_LENGTH(words) && strncmp(sql, words[i].word, strlen(words[i].word)) != 0) i++;
        if (!*sql) break;
        SHARC_ASSERT(i < SHARC_LENGTH(words));
        sharc_buf_put_str(&out, words[i].text);
        sql += strlen(words[i].word);
    }
    SHARC_ASSERT(sharc_buf_result(&out, NULL) == 0); /* our own texts */
    return sharc_buf_take(&out);
}

int sharc__store_script(struct sharc__store_db *db, const char *sql, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *text = sharc__store_words(db, sql);
    return db->ops->script(db, text, reterr);
}

/* 0: there is no catalogue yet. */
static int version_of(struct sharc__store_db *db, int64_t *ret, struct sharc_err *reterr)
{
    int64_t there = 0;
    int r = sharc__store_get_int(db, db->ops->has_schema, NULL, 0, &there, reterr);
    if (r < 0) return r;
    *ret = 0;
    if (!there) return 0;
    r = sharc__store_get_int(db, "SELECT max(version) FROM schema_version", NULL, 0, ret, reterr);
    return r < 0 ? r : 0;
}

static int step_forward(struct sharc__store_db *db, int64_t version, struct sharc_err *reterr)
{
    int r = 0;
    if (version == 0)
        r = sharc__store_script(db, "CREATE TABLE schema_version (version BIGINT NOT NULL PRIMARY KEY){keyed}", reterr);
    if (r == 0) r = sharc__store_script(db, steps[version], reterr);
    if (r < 0) return r;
    struct sharc_store_value v = sharc__store_int(version + 1);
    return db->ops->run(db, "INSERT INTO schema_version (version) VALUES ($1)", &v, 1, NULL, reterr);
}

/* Take the lock first, then look again: somebody else may have been quicker. */
static int migrate_one(struct sharc__store_db *db, int to, int64_t *version, struct sharc_err *reterr)
{
    int r = db->ops->begin(db, true, reterr);
    if (r == 0) r = version_of(db, version, reterr);
    if (r == 0 && *version < to) {
        r = step_forward(db, *version, reterr);
        if (r == 0) (*version)++;
    }
    if (r == 0) r = db->ops->commit(db, reterr);
    if (r < 0) db->ops->rollback(db);
    return r;
}

int sharc__store_migrate(struct sharc_store *s, int to, struct sharc_err *reterr)
{
    int64_t version = 0;
    int r = version_of(s->db, &version, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(version > sharc_store_version(), reterr, SHARC_EUNSUPPORTED,
                  "%s: the catalogue has schema version %lld, this sharc knows up to %d: use a newer sharc", s->name,
                  (long long)version, sharc_store_version());
    s->version = version > to ? version : to;
    if (version >= to) return 0;
    SHARC_FAIL_IF(s->read_only && version == 0, reterr, SHARC_ENOENT, "%s: there is no catalogue in it", s->name);
    SHARC_FAIL_IF(s->read_only, reterr, SHARC_EACCESS,
                  "%s: the catalogue has the old schema version %lld; sharc import --archive DIR, without files, "
                  "brings it up to date",
                  s->name, (long long)version);
    while (r == 0 && version < to) r = migrate_one(s->db, to, &version, reterr);
    return r;
}
