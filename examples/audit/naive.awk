# The sum of the values on standard input, plus textbook Laplace noise of scale
# 10: epsilon 0.1 for values from 0 to 1, on paper. In floating point it is
# broken (Mironov 2012): which doubles the answer can be depends on the sum.
#
#     custos audit --exec 'awk -f naive.awk' --claim 0.1
#
# The coins are the hex digits of a random UUID from the Linux kernel, since
# srand() of many awks has a new seed only once a second.
{ sum += $1 }

END {
    getline uuid < "/proc/sys/kernel/random/uuid"
    gsub("-", "", uuid)
    for (i = 18; i <= 30; i++) # 52 bits; earlier digits are not all random
        u = u * 16 + index("0123456789abcdef", substr(uuid, i, 1)) - 1
    u = (u + 0.5) / 4503599627370496
    noise = u < 0.5 ? 10 * log(2 * u) : -10 * log(2 * (1 - u))
    printf "%.17g\n", sum + noise
}
