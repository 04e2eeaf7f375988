/*
 * Runs a fuzz target on every file of a folder, so that the committed corpus
 * is a test for any compiler, without libFuzzer. The empty input always runs,
 * and each file runs from an allocation of its exact size, so that ASan and
 * valgrind see a read past the end.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static int
replay(const char *path)
{
    struct stat st;
    FILE *in = NULL;
    uint8_t *data = NULL;
    int failed = 1;

    if (stat(path, &st) || !S_ISREG(st.st_mode))
        return 0;
    in = fopen(path, "rb");
    data = malloc(st.st_size > 0 ? (size_t)st.st_size : 1);
    if (!in || !data ||
        fread(data, 1, (size_t)st.st_size, in) != (size_t)st.st_size) {
        fprintf(stderr, "cannot read %s\n", path);
        goto out;
    }
    LLVMFuzzerTestOneInput(data, (size_t)st.st_size);
    failed = 0;
out:
    free(data);
    if (in)
        fclose(in);
    return failed;
}

int
main(int argc, char **argv)
{
    int failed = 0, files = 0;
    const struct dirent *entry;
    DIR *folder;

    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    for (int i = 1; i < argc; i++) {
        folder = opendir(argv[i]);
        while (folder && (entry = readdir(folder))) {
            char path[4096];
            int n =
                snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);

            if (n < 0 || (size_t)n >= sizeof path)
                continue;
            /* On stderr before the run: after a crash it names the input. */
            fprintf(stderr, "%s\n", path);
            failed += replay(path);
            files++;
        }
        if (folder)
            closedir(folder);
    }
    printf("%d entries replayed\n", files);
    return failed != 0;
}
