/** What t_jdbc.py runs: DatabaseMetaData, prepared statements, fetch size. */
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.sql.Types;

final class Client {
    private static void check(boolean fact, String what) {
        if (!fact) {
            throw new IllegalStateException(what);
        }
        System.out.println("ok " + what);
    }

    private static void metaData(Connection c) throws SQLException {
        DatabaseMetaData m = c.getMetaData();
        StringBuilder seen = new StringBuilder();
        check(m.getDatabaseProductName().equals("PostgreSQL"), "product");
        try (ResultSet r = m.getTables(null, "public", "%",
                                       new String[] {"TABLE", "VIEW"})) {
            while (r.next()) {
                seen.append(r.getString("TABLE_NAME")).append(' ');
            }
        }
        check(seen.toString().contains("patients ")
              && seen.toString().contains("visits ")
              && seen.toString().contains("dear "), "tables");
        seen.setLength(0);
        try (ResultSet r = m.getColumns(null, "public", "patients", "%")) {
            while (r.next()) {
                seen.append(r.getString("COLUMN_NAME")).append(':')
                    .append(r.getInt("DATA_TYPE")).append(' ');
            }
        }
        check(seen.toString().contains("id:" + Types.BIGINT + " ")
              && seen.toString().contains("weight:" + Types.NUMERIC + " ")
              && seen.toString().contains("since:" + Types.DATE + " "),
              "columns");
        try (ResultSet r = m.getPrimaryKeys(null, "public", "patients")) {
            r.next();
        }
        try (ResultSet r = m.getImportedKeys(null, "public", "visits")) {
            check(r.next() && r.getString("PKTABLE_NAME").equals("patients"),
                  "imported keys");
        }
        try (ResultSet r = m.getIndexInfo(null, "public", "patients", false,
                                          true)) {
            check(r.next() && r.getString("COLUMN_NAME").equals("id")
                  && !r.next(), "the key that visits refer to");
        }
        try (ResultSet r = m.getSchemas()) {
            check(r.next(), "schemas");
        }
        try (ResultSet r = m.getTypeInfo()) {
            check(r.next(), "types");
        }
    }

    private static void questions(Connection c) throws SQLException {
        String sql = "SELECT sex, count(*) AS n, median(since) AS day FROM "
            + "patients WHERE born < ? AND weight > ? AND since > ? "
            + "GROUP BY sex";
        // From the fifth use on the driver prepares the statement by name and
        // asks for binary results.
        for (int i = 0; i < 8; i++) {
            try (PreparedStatement s = c.prepareStatement(sql)) {
                s.setInt(1, 2000 + i);
                s.setBigDecimal(2, new BigDecimal("12.5"));
                s.setDate(3, Date.valueOf("2001-02-03"));
                try (ResultSet r = s.executeQuery()) {
                    check(r.next() && r.getString("sex").equals("f")
                          && Math.abs(r.getLong("n") - 200) < 150
                          && r.getDate("day") != null, "answer " + i);
                    check(r.next(), "two rows " + i);
                }
                SQLWarning notice = s.getWarnings();
                check(notice != null, "notice " + i);
                ResultSetMetaData m = s.getMetaData();
                check(m.getColumnType(2) == Types.BIGINT, "described " + i);
            }
        }
    }

    private static void fetchSize(Connection c) throws SQLException {
        c.setAutoCommit(false);
        try (Statement s = c.createStatement()) {
            s.setFetchSize(1);
            int rows = 0;
            try (ResultSet r = s.executeQuery(
                     "SELECT department FROM departments ORDER BY 1")) {
                while (r.next()) {
                    rows++;
                }
            }
            check(rows == 3, "fetch size");
        }
        c.commit();
        c.setAutoCommit(true);
    }

    private static void errors(Connection c) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.executeQuery("SELECT count(*) FROM nowhere");
            check(false, "an error");
        } catch (SQLException e) {
            check(e.getSQLState().equals("42704"), "SQLSTATE");
        }
        try (Statement s = c.createStatement()) {
            s.executeUpdate("DELETE FROM patients");
            check(false, "a refusal");
        } catch (SQLException e) {
            check(e.getSQLState().equals("0A000"), "refused");
        }
    }

    public static void main(String[] words) throws SQLException {
        try (Connection c = DriverManager.getConnection(words[0])) {
            check(c.isValid(5), "valid");
            metaData(c);
            questions(c);
            fetchSize(c);
            errors(c);
        }
        System.out.println("done");
    }
}
