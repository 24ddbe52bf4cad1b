/* SPDX-License-Identifier: Apache-2.0
 *
 * Certificates that servers presented, in the certificate of a capture: what it says of them, and what of those that
 * are missing, swapped, or no certificates at all.
 */
#include "capture.h"

#define TEXT "<html><body><p>Some words that stay.</p></body></html>"
/* a.example and the authority that issued it, from 2026-01-01 to 9999-12-31 */
#define OWN                                                              \
    "-----BEGIN CERTIFICATE-----\n"                                      \
    "MIIBbDCCARKgAwIBAgIBAjAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDARSb290MCAX\n" \
    "DTI2MDEwMTAwMDAwMFoYDzk5OTkxMjMxMjM1OTU5WjAUMRIwEAYDVQQDDAlhLmV4\n" \
    "YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASOiX3WdPlmLemqPz+bSi+T\n" \
    "5mYJZneodzttLtAdPdyeFk92JfRZsfvcN04xDDcwOriOKuCS1dvQhAYoEU1ktGzN\n" \
    "o1gwVjAUBgNVHREEDTALgglhLmV4YW1wbGUwHQYDVR0OBBYEFHr5hTRe2dwgY7Lp\n" \
    "0Se7iEmIIDdMMB8GA1UdIwQYMBaAFOqWFQTrK2FmkTPxRKZPRk2akgj9MAoGCCqG\n" \
    "SM49BAMCA0gAMEUCIEqqSd0mCh1/NRHR3Xwita1bfLjBZH3Ck+GUSaeIM/kzAiEA\n" \
    "0FqsM9qT/4QSbXaNNj6i67SytK6BPCp9QudH+RRTrRg=\n"                     \
    "-----END CERTIFICATE-----\n"
#define ROOT                                                             \
    "-----BEGIN CERTIFICATE-----\n"                                      \
    "MIIBQDCB56ADAgECAgEBMAoGCCqGSM49BAMCMA8xDTALBgNVBAMMBFJvb3QwIBcN\n" \
    "MjYwMTAxMDAwMDAwWhgPOTk5OTEyMzEyMzU5NTlaMA8xDTALBgNVBAMMBFJvb3Qw\n" \
    "WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARdZq2kIC9kxh6UFTkV7W03g3iWAAif\n" \
    "fzmVGPucLqOWHry4Th1+bQA4PDSRiBAVXVgQ+4hvv1NnzEKLFceaIcqsozIwMDAP\n" \
    "BgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBTqlhUE6ythZpEz8USmT0ZNmpII/TAK\n" \
    "BggqhkjOPQQDAgNIADBFAiBVpYTTvK6zpXMpI8cfH0OsBzaZst439s2PhnjNazne\n" \
    "SQIhAN6kPRyzaD48gK5tPbo7yvR27+pNKY6GBFx/ii18sak1\n"                 \
    "-----END CERTIFICATE-----\n"

#define VISIT(address, ...)                                                                      \
    {                                                                                            \
        .url = address, .kind = SHARC_OWN_VISIT, .at = 1, .took = 0.5, .body = TEXT, __VA_ARGS__ \
    }
#define REVISIT(address, ...)                                                                       \
    {                                                                                               \
        .url = address, .kind = SHARC_OWN_REVISIT, .at = 11, .took = 0.5, .body = TEXT, __VA_ARGS__ \
    }

/* The certificate of these answers, which must hold; has must be in it, and hasn't must not. */
static void says(const struct answer *answers, size_t count, const char *has, const char *has_not)
{
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(1u << 20);
    SHARC_AUTO(sharc_derived_freep) struct sharc_derived *f = capture_facts(dir, answers, count);
    struct sharc_certify_checked c;
    capture_certify(dir, f, &text, &c);
    if (c.count) fail_msg("%s %s", c.findings[0].path ? c.findings[0].path : "", c.findings[0].text);
    assert_true(c.files);
    if (has && !strstr(sharc_buf_str(&text), has)) fail_msg("%s is not in %s", has, sharc_buf_str(&text));
    if (has_not && strstr(sharc_buf_str(&text), has_not)) fail_msg("%s is in %s", has_not, sharc_buf_str(&text));
    sharc_certify_checked_done(&c);
    test_rmdir(dir);
}
#define SAYS(has, has_not, ...) \
    says((const struct answer[]){__VA_ARGS__}, SHARC_LENGTH(((const struct answer[]){__VA_ARGS__})), has, has_not)

static void a_chain_is_listed(void **state)
{
    (void)state;
    SAYS("\"issuer\":\"CN=Root\"", "\"what\":\"tls", VISIT("https://a.example/", .chain = OWN ROOT),
         REVISIT("https://a.example/", .chain = OWN ROOT));
    SAYS("\"subject\":\"CN=Root\",\"to\":\"9999-12-31T23:59:59Z\"", NULL,
         VISIT("https://a.example:8443/", .chain = OWN ROOT), REVISIT("https://a.example:8443/", .chain = OWN ROOT));
    SAYS("\"names_host\":true", "missing\"", VISIT("https://a.example/", .chain = OWN),
         REVISIT("https://a.example/", .chain = OWN ROOT));
    SAYS("\"tls\":[]", "\"what\":\"tls", VISIT("http://a.example/"), REVISIT("http://a.example/"));
}

static void what_is_wrong_with_it_is_told(void **state)
{
    (void)state;
    SAYS("{\"value\":\"2\",\"what\":\"tls-other-host\"}", NULL, VISIT("https://b.example/", .chain = OWN),
         REVISIT("https://b.example/", .chain = OWN));
    SAYS("{\"value\":\"1\",\"what\":\"tls-not-verified\"}", NULL, VISIT("https://a.example/", .chain = OWN),
         REVISIT("https://a.example/", .chain = OWN, .unverified = true));
    SAYS("{\"value\":\"2\",\"what\":\"tls-chain-missing\"}", NULL,
         VISIT("https://a.example/", .chain = OWN, .no_chain = true),
         REVISIT("https://a.example/", .chain = OWN, .no_chain = true));
    SAYS("{\"value\":\"2\",\"what\":\"tls-chain-missing\"}", "tls-other",
         VISIT("https://a.example/", .chain = "no certificate"),
         REVISIT("https://a.example/", .chain = "no certificate"));
    SAYS("\"record\":\"unreadable\"", NULL,
         VISIT("https://a.example/", .chain = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"));
    SAYS("{\"value\":\"1\",\"what\":\"tls-not-recorded\"}", NULL, VISIT("https://a.example/", .chain = OWN),
         REVISIT("https://a.example/"));
    SAYS("{\"value\":\"1\",\"what\":\"tls-outside-validity\"}", NULL,
         {.url = "https://a.example/", .chain = OWN, .at = -400.0 * 86400, .body = TEXT});
}

/* Whoever swaps the record of a chain has another digest, and the downloads name the old one. */
static void a_swapped_chain_is_missing(void **state)
{
    (void)state;
    SAYS("\"record\":\"missing\"", NULL, VISIT("https://a.example/", .chain = OWN, .no_chain = true),
         REVISIT("https://a.example/", .chain = ROOT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_is_listed),
        cmocka_unit_test(what_is_wrong_with_it_is_told),
        cmocka_unit_test(a_swapped_chain_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
