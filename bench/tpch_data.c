/*
 * Tables shaped like those of TPC-H: the same sizes, types and ranges, generated
 * by a hash. The 25 nations and 5 regions are called N0 and R0 and so on.
 */
#include "tpch_data.h"

#include <string.h>

/* A uniform number below n, from a hash of x and of `what` it is drawn for. */
const char *const tpch_macro =
    "CREATE MACRO draw(x, what, n) AS (hash(x, what) % n)::BIGINT";

const struct tpch_table tpch_tables[TPCH_TABLES] = {
    {"region",
     NULL,
     NULL,
     {{"r_regionkey", "type: integer, range: [0, 4], nullable: false"},
      {"r_name", "type: text, values: [R0, R1, R2, R3, R4], nullable: false"}},
     "SELECT i AS r_regionkey, 'R' || i AS r_name FROM range(5) t(i)"},
    {"nation",
     NULL,
     NULL,
     {{"n_nationkey", "type: integer, range: [0, 24], nullable: false"},
      {"n_name",
       "type: text, values: [N0, N1, N2, N3, N4, N5, N6, N7, N8, N9, N10, "
       "N11, N12, N13, N14, N15, N16, N17, N18, N19, N20, N21, N22, N23, "
       "N24], nullable: false"},
      {"n_regionkey",
       "type: integer, nullable: false, references: region.r_regionkey"}},
     "SELECT i AS n_nationkey, 'N' || i AS n_name, i % 5 AS n_regionkey "
     "FROM range(25) t(i)"},
    {"supplier",
     NULL,
     NULL,
     {{"s_suppkey", "type: integer, nullable: false"},
      {"s_nationkey",
       "type: integer, nullable: false, references: nation.n_nationkey"}},
     "SELECT i AS s_suppkey, draw(i, 1, 25) AS s_nationkey FROM range($s) "
     "t(i)"},
    {"part",
     NULL,
     NULL,
     {{"p_partkey", "type: integer, nullable: false"},
      {"p_brand", "type: text, nullable: false"},
      {"p_type", "type: text, nullable: false"},
      {"p_size", "type: integer, range: [1, 50], nullable: false"},
      {"p_container", "type: text, nullable: false"}},
     "SELECT i AS p_partkey, 'Brand#' || (1 + draw(i, 1, 5)) || (1 + "
     "draw(i, 2, 5)) AS p_brand, ['STANDARD', 'SMALL', 'MEDIUM', 'LARGE', "
     "'ECONOMY', 'PROMO'][1 + draw(i, 3, 6)] || ' T' || draw(i, 4, 25) AS "
     "p_type, 1 + draw(i, 5, 50) AS p_size, ['SM', 'LG', 'MED', 'JUMBO', "
     "'WRAP'][1 + draw(i, 6, 5)] || ' ' || ['CASE', 'BOX', 'BAG', 'JAR', "
     "'PKG', 'PACK', 'CAN', 'DRUM'][1 + draw(i, 7, 8)] AS p_container FROM "
     "range($p) t(i)"},
    {"customer",
     "c_custkey",
     "1",
     {{"c_custkey", "type: integer, nullable: false"},
      {"c_nationkey",
       "type: integer, nullable: false, references: nation.n_nationkey"},
      {"c_acctbal",
       "type: decimal, scale: 2, range: [-1000, 10000], nullable: false"}},
     "SELECT i AS c_custkey, draw(i, 1, 25) AS c_nationkey, (draw(i, 2, "
     "1100000) - 100000) / 100.0 AS c_acctbal FROM range($c) t(i)"},
    {"orders",
     "o_custkey",
     "64",
     {{"o_orderkey", "type: integer, nullable: false"},
      {"o_custkey",
       "type: integer, nullable: false, references: customer.c_custkey"},
      {"o_orderdate",
       "type: date, range: [1992-01-01, 1998-12-31], nullable: false"}},
     "SELECT i AS o_orderkey, draw(i, 1, $c) // 3 * 3 + draw(i, 3, 2) AS "
     "o_custkey, DATE '1992-01-01' + draw(i, 2, 2406)::INTEGER AS "
     "o_orderdate FROM range(10 * $c) t(i)"},
    {"lineitem",
     "l_orderkey",
     "$m",
     {{"l_orderkey",
       "type: integer, nullable: false, references: orders.o_orderkey"},
      {"l_partkey",
       "type: integer, nullable: false, references: part.p_partkey"},
      {"l_suppkey",
       "type: integer, nullable: false, references: supplier.s_suppkey"},
      {"l_quantity", "type: integer, range: [1, 50], nullable: false"},
      {"l_extendedprice",
       "type: decimal, scale: 2, range: [0, 105000], nullable: false"},
      {"l_discount",
       "type: decimal, scale: 2, range: [0, 0.1], nullable: false"},
      {"l_tax", "type: decimal, scale: 2, range: [0, 0.08], nullable: false"},
      {"l_returnflag", "type: text, values: [A, N, R], nullable: false"},
      {"l_linestatus", "type: text, values: [F, O], nullable: false"},
      {"l_shipdate",
       "type: date, range: [1992-01-01, 1999-12-31], nullable: false"},
      {"l_shipmode",
       "type: text, values: [AIR, FOB, MAIL, RAIL, REG AIR, SHIP, TRUCK], "
       "nullable: false"},
      {"l_shipinstruct",
       "type: text, values: [COLLECT COD, DELIVER IN PERSON, NONE, TAKE BACK "
       "RETURN], nullable: false"}},
     "SELECT o AS l_orderkey, draw(8 * o + n, 1, $p) AS l_partkey, draw(8 * "
     "o + n, 2, $s) AS l_suppkey, q AS l_quantity, q * (90000 + draw(8 * o "
     "+ n, 3, 120000)) / 100.0 AS l_extendedprice, draw(8 * o + n, 4, 11) / "
     "100.0 AS l_discount, draw(8 * o + n, 5, 9) / 100.0 AS l_tax, CASE "
     "WHEN d <= DATE '1995-06-17' THEN ['A', 'R'][1 + draw(8 * o + n, 6, "
     "2)] ELSE 'N' END AS l_returnflag, CASE WHEN d <= DATE '1995-06-17' "
     "THEN 'F' ELSE 'O' END AS l_linestatus, d AS l_shipdate, ['AIR', "
     "'FOB', 'MAIL', 'RAIL', 'REG AIR', 'SHIP', 'TRUCK'][1 + draw(8 * o + "
     "n, 7, 7)] AS l_shipmode, ['COLLECT COD', 'DELIVER IN PERSON', 'NONE', "
     "'TAKE BACK RETURN'][1 + draw(8 * o + n, 8, 4)] AS l_shipinstruct FROM "
     "(SELECT o, n, 1 + draw(8 * o + n, 9, 50) AS q, DATE '1992-01-02' + "
     "(draw(o, 2, 2406) + draw(8 * o + n, 10, 121))::INTEGER AS d FROM "
     "range(10 * $c) s(o), range(7) t(n) WHERE n <= draw(o, 11, 7))"},
};

/* Q1, Q5, Q6, Q14 and Q19. */
const struct tpch_query tpch_queries[TPCH_QUERIES] = {
    {"q1", 2,
     "l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty, "
     "sum(l_extendedprice) AS sum_base_price, "
     "sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price, "
     "sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge, "
     "avg(l_quantity) AS avg_qty, avg(l_extendedprice) AS avg_price, "
     "avg(l_discount) AS avg_disc, count(*) AS count_order FROM lineitem "
     "WHERE l_shipdate <= DATE '1998-09-02' GROUP BY l_returnflag, "
     "l_linestatus"},
    {"q5", 1,
     "n_name, sum(l_extendedprice * (1 - l_discount)) AS revenue FROM customer "
     "JOIN orders ON c_custkey = o_custkey JOIN lineitem ON l_orderkey = "
     "o_orderkey JOIN supplier ON l_suppkey = s_suppkey JOIN nation ON "
     "s_nationkey = n_nationkey JOIN region ON n_regionkey = r_regionkey "
     "WHERE c_nationkey = s_nationkey AND r_name = 'R2' AND o_orderdate >= "
     "DATE '1994-01-01' AND o_orderdate < DATE '1995-01-01' GROUP BY n_name"},
    {"q6", 0,
     "sum(l_extendedprice * l_discount) AS revenue FROM lineitem WHERE "
     "l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01' AND "
     "l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24"},
    {"q14", 0,
     "100.0 * sum(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - "
     "l_discount) ELSE 0 END) / sum(l_extendedprice * (1 - l_discount)) AS "
     "promo_revenue FROM lineitem JOIN part ON l_partkey = p_partkey WHERE "
     "l_shipdate >= DATE '1995-09-01' AND l_shipdate < DATE '1995-10-01'"},
    {"q19", 0,
     "sum(l_extendedprice * (1 - l_discount)) AS revenue FROM lineitem JOIN "
     "part ON p_partkey = l_partkey WHERE l_shipmode IN ('AIR', 'REG AIR') AND "
     "l_shipinstruct = 'DELIVER IN PERSON' AND ((p_brand = 'Brand#12' AND "
     "p_container IN ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG') AND l_quantity "
     "BETWEEN 1 AND 11 AND p_size BETWEEN 1 AND 5) OR (p_brand = 'Brand#23' "
     "AND p_container IN ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK') AND "
     "l_quantity BETWEEN 10 AND 20 AND p_size BETWEEN 1 AND 10) OR (p_brand = "
     "'Brand#34' AND p_container IN ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG') "
     "AND l_quantity BETWEEN 20 AND 30 AND p_size BETWEEN 1 AND 15))"},
};

static void
add_sized(struct buf *out, const char *text, const struct tpch_sizes *s)
{
    for (const char *at; (at = strchr(text, '$')); text = at + 2) {
        buf_printf(out, "%.*s", (int)(at - text), text);
        buf_printf(out, "%d",
                   at[1] == 'c'   ? s->customers
                   : at[1] == 's' ? s->suppliers
                   : at[1] == 'p' ? s->parts
                                  : s->lines);
    }
    buf_add_text(out, text);
}

void
tpch_print_copy(struct buf *out, size_t i, const char *folder,
                const struct tpch_sizes *sizes)
{
    buf_add_text(out, "COPY (");
    add_sized(out, tpch_tables[i].rows, sizes);
    buf_printf(out, ") TO '%s/%s.parquet'", folder, tpch_tables[i].name);
}

void
tpch_print_policy(struct buf *out, const struct tpch_sizes *sizes,
                  enum tpch_bounds bounds)
{
    buf_add_text(out, "custos: 1\nadjacency: add-remove\n"
                      "budget: {epsilon: 100000}\n"
                      "query: {epsilon: 1, max_epsilon: 10, min_epsilon: 0, "
                      "min_rho: 0}\ntables:\n");
    for (size_t i = 0; i < TPCH_TABLES; i++) {
        const struct tpch_table *t = &tpch_tables[i];

        buf_printf(out, "  %s:\n    source: %s.parquet\n", t->name, t->name);
        if (t->unit) {
            buf_printf(out, "    unit: %s\n    bound: before-where\n", t->unit);
            if (bounds == TPCH_DECLARED) {
                buf_add_text(out, "    rows_per_unit: ");
                add_sized(out, t->rows_per_unit, sizes);
                buf_add_text(out, "\n");
            }
        } else {
            buf_add_text(out, "    public: true\n");
        }
        buf_add_text(out, "    columns:\n");
        for (size_t k = 0; k < TPCH_COLUMNS && t->columns[k][0]; k++)
            buf_printf(out, "      %s: {%s}\n", t->columns[k][0],
                       t->columns[k][1]);
    }
}
