/*
 * SHA-256: known hashes, and bytes added in two pieces of any size.
 */
#include "base/sha256.h"

#include <stdio.h>

#include "base/base.h"
#include "support/support.h"

static void
hex(const uint8_t hash[SHA256_BYTES], char text[2 * SHA256_BYTES + 1])
{
    for (size_t i = 0; i < SHA256_BYTES; i++)
        snprintf(text + 2 * i, 3, "%02x", hash[i]);
}

static void
known_hashes(void **state)
{
    static const struct {
        const char *text, *hash;
    } rows[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb924"
             "27ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223"
                "b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint8_t hash[SHA256_BYTES];
        char text[2 * SHA256_BYTES + 1];

        sha256_of(rows[i].text, strlen(rows[i].text), hash);
        hex(hash, text);
        assert_string_equal(text, rows[i].hash);
    }
}

static void
pieces_make_the_whole(void **state)
{
    unsigned char bytes[200];
    uint8_t whole[SHA256_BYTES], parts[SHA256_BYTES];

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 37);
    sha256_of(bytes, sizeof bytes, whole);
    for (size_t cut = 0; cut <= sizeof bytes; cut++) {
        struct sha256 h, zero = {0};

        sha256_init(&h);
        sha256_add(&h, bytes, cut);
        sha256_add(&h, NULL, 0);
        sha256_add(&h, bytes + cut, sizeof bytes - cut);
        sha256_end(&h, parts);
        assert_memory_equal(whole, parts, sizeof whole);
        assert_memory_equal(&h, &zero, sizeof h);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_hashes),
        cmocka_unit_test(pieces_make_the_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
