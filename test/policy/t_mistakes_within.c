/*
 * Every error message about bad columns, references and analysts, with its
 * line.
 */
#include "policy/good.h"

static void
mistakes_of_columns(void **state)
{
    static const struct mistake mistakes[] = {
        {"age: {type: integer, ", "age: {",
         "line 17: column 'age' has no "
         "type"},
        {"age: {type: integer,", "age: {type: [integer],",
         "line 17: type must be a single value"},
        {"age: {type: integer,", "age: {type: int4,",
         "line 17: there is no type 'int4'; there are boolean, integer, "
         "decimal, real, text, date and timestamp"},
        {"age: {type: integer,", "age: {type: null,",
         "line 17: there is no type 'null'; there are boolean, integer, "
         "decimal, real, text, date and timestamp"},
        {"range: [0, 120]", "rnage: [0, 120]",
         "line 17: there is no key 'rnage' in a column; did you mean range?"},
        {"[0, 120]", "[0, 120, 130]",
         "line 17: range must be [lower, upper], "
         "the limits of column 'age'"},
        {"[0, 120]", "120",
         "line 17: range must be [lower, upper], the limits "
         "of column 'age'"},
        {"[0, 120]", "[120, 0]",
         "line 17: the lower limit of a range must be "
         "below the upper one"},
        {"[0, 120]", "[5, 5]",
         "line 17: the lower limit of a range must be "
         "below the upper one"},
        {"[0, 120]", "[0, x]", "line 17: 'x' is not a valid integer"},
        {"[0, 120]", "[0, 1.5]", "line 17: '1.5' is not a valid integer"},
        {"[0, 120]", "[0, 9223372036854775808]",
         "line 17: '9223372036854775808' is not a valid integer"},
        {"[0, 120]", "[~, 120]",
         "line 17: NULL cannot be one of the limits of a range; use nullable, "
         "or put the word in quotes"},
        {"[0, 120]", "[[0], 120]",
         "line 17: the limits of a range must be "
         "single values"},
        {"range: [0, 120]", "scale: 2",
         "line 17: only a decimal has a scale, and this column is integer"},
        {"scale: 2, ", "",
         "line 31: a decimal column needs a scale, the number of digits after "
         "the point; add, for example, scale: 2"},
        {"scale: 2", "scale: 19",
         "line 31: scale must be a whole number from "
         "0 to 18, not '19'"},
        {"[-0.5, 5e3]", "[-0.555, 5e3]",
         "line 31: '-0.555' is not a decimal with at most 2 digits after the "
         "point"},
        {"[-0.5, 5e3]", "[-0.500, 1e36]",
         "line 31: '1e36' is not a decimal with at most 2 digits after the "
         "point"},
        {"[0, 120]",
         "[0, "
         "2\u0440\u0443\u0441\u0441\u043a\u0438\u0439\u0442\u0435\u043a\u0441"
         "\u0442\u0440\u0443\u0441\u0441\u043a\u0438\u0439\u0439]",
         "line 17: "
         "'2\u0440\u0443\u0441\u0441\u043a\u0438\u0439\u0442\u0435\u043a\u0441"
         "\u0442\u0440\u0443\u0441\u0441\u043a\u0438\u0439' is not a "
         "valid integer"},
        {"[-0.5, 5e3]", "[-0.5, 1e35]",
         "line 31: '1e35' is not a decimal with at most 2 digits after the "
         "point"},
        {"2020-12-31", "2020-02-30",
         "line 32: '2020-02-30' is not a valid date"},
        {"type: boolean", "type: boolean, range: [false, true]",
         "line 36: a boolean has no range"},
        {"values: [Rome, 'Oslo']", "range: [a, b]",
         "line 18: a text has no range; list its values"},
        {"type: boolean", "type: boolean, values: [true]",
         "line 36: a boolean needs no list of values"},
        {"range: [0.25, 100]", "values: [1]",
         "line 34: a real has no list of values, only a range; a decimal has "
         "both"},
        {"[Rome, 'Oslo']", "Rome",
         "line 18: values must be a list of 1 to "
         "65535 values"},
        {"[Rome, 'Oslo']", "[]",
         "line 18: values must be a list of 1 to 65535 "
         "values"},
        {"[Rome, 'Oslo']", "[Rome,\n 'Oslo', Rome]",
         "line 19: the values of column 'city' are not distinct"},
        {"[Rome, 'Oslo']", "[Rome, null]",
         "line 18: NULL cannot be one of the values; use nullable, or put the "
         "word in quotes"},
        /* the good list after a bad range does not hide the error */
        {"[1, 5], values", "[5, 1], values",
         "line 35: the lower limit of a range must be below the upper one"},
        {"[1, 5], values: [3, 1, 5]",
         "[1, 5], values: [3, 1, 6], nullable: true, comment: x",
         "line 35: a value of column 'level' lies outside its range"},
        {"type: decimal, scale: 2, range: [-0.5, 5e3]",
         "type: decimal, scale: 2, range: [0, 5e3], nullable: 1, comment: x",
         "line 31: nullable must be true or false"},
        {"[-0.5, 5e3]", "[1e35, 123456789012345678901234567890123456]",
         "line 31: '1e35' is not a decimal with at most 2 digits after the "
         "point"},
        {"[3, 1, 5]", "[3, 1, 6]",
         "line 35: a value of column 'level' lies "
         "outside its range"},
        {"[3, 1, 5]", "[3, 1, 3.0]",
         "line 35: the values of column 'level' "
         "are not distinct"},
        {"nullable: false", "nullable: no",
         "line 19: nullable must be true or "
         "false"},
        {"nullable: false", "find_range: true",
         "line 19: find_range is for numbers, and this column is text"},
        {"type: integer, range: [1, 5], values: [3, 1, 5]",
         "type: integer, values: [3, 1, 5], find_range: true",
         "line 35: a column with values has a public range, so find_range has "
         "no use"},
        {"range: [-0.5, 5e3]", "find_range: maybe",
         "line 31: find_range must be true or false"},
        {"id: {type: integer}", "id: {type: integer, find_range: true}",
         "line 16: column 'id' of 'patients' names the unit and has no range "
         "to be found"},
        {"comment: where", "comment: {}",
         "line 19: comment must be a single "
         "value"},
    };

    (void)state;
    CHECK_ALL(mistakes);
}

static void
mistakes_of_references(void **state)
{
    static const struct mistake mistakes[] = {
        {"references: patients.id", "references: patients",
         "line 30: references must be table.column, not 'patients'"},
        {"references: patients.id", "references: people.id",
         "line 30: there is no column 'people.id' to reference"},
        {"references: patients.id", "references: patients.key",
         "line 30: there is no column 'patients.key' to reference"},
        {"references: patients.id", "references: [patients, id]",
         "line 30: references must be a single value"},
        {"references: patients.id", "references: patients.city",
         "line 30: column 'patient_id' is integer, but the column that it "
         "references is text; give both the same type"},
        {"id: {type: integer}", "id: {type: integer, references: visits.level}",
         "line 35: column 'level' of 'visits' names the unit and can have no "
         "range: clamping would merge people"},
        {"id: {type: integer}",
         "id: {type: integer, references: visits.patient_id}",
         "line 11: the unit of table 'patients' has circular references"},
        {"references: patients.id", "references: visits.patient_id",
         "line 20: the unit of table 'visits' has circular references"},
        {"name: {type: text}", "name: {type: text, references: patients.city}",
         "line 41: table 'cities' is public and cannot reference the private "
         "table 'patients'"},
        {"patient_id: {type: integer, references: patients.id}",
         "patient_id: {type: text, references: cities.name}",
         "line 30: the unit of table 'visits' leads to 'cities', which is "
         "public and has none"},
        {"id: {type: integer}", "id: {type: integer, range: [0, 9]}",
         "line 16: column 'id' of 'patients' names the unit and can have no "
         "range: clamping would merge people"},
        {"type: integer, references: patients.id", "type: decimal, scale: 1",
         "line 30: the unit of table 'visits' is decimal of scale 1, that of "
         "'patients' integer: one person could count as two; give both columns "
         "one type"},
        {"type: integer, references: patients.id", "type: text",
         "line 30: the unit of table 'visits' is text, that of 'patients' "
         "integer: one person could count as two; give both columns one type"},
        {"id: {type: integer}", "id: {type: date}",
         "line 30: column 'patient_id' is integer, but the column that it "
         "references is date; give both the same type"},
        {"unit: patient_id", "unit: grams",
         "line 34: column 'grams' of 'visits' names the unit and can have no "
         "range: clamping would merge people"},
        {"unit: patient_id", "unit: late",
         "line 36: column 'late' of 'visits' is boolean, which cannot name a "
         "unit"},
        {"type: real, range: [0.25, 100]",
         "type: real, references: visits.grams",
         "line 34: a real cannot be a key: equal numbers may differ in their "
         "last digit"},
        {"unit: patient_id", "unit: row",
         "line 25: the unit is the row: rows_per_unit must be 1"},
        {"unit: patient_id\n    rows_per_unit: 20\n    groups_per_unit: 5",
         "unit: row\n    comment: x\n    rows_per_unit_and_group: 2",
         "line 26: the unit is the row: rows_per_unit_and_group must be 1"},
    };

    (void)state;
    CHECK_ALL(mistakes);
}

static void
mistakes_of_analysts(void **state)
{
    static const struct mistake mistakes[] = {
        {"analysts:", "analyst:",
         "line 42: there is no key 'analyst' in a "
         "policy; did you mean analysts?"},
        {"  bo: {tables: [patients]}", "  Bo: 1",
         "line 47: 'Bo' is not a lower-case SQL word; write it in quotes, here "
         "and in queries"},
        {"  bo: {tables: [patients]}", "  bo: 1",
         "line 47: an analyst must be a map of keys to values"},
        {"tables: [patients]", "table: [patients]",
         "line 47: there is no key 'table' in an analyst; did you mean "
         "tables?"},
        {"tables: [patients]", "tables: patients",
         "line 47: tables must be a list of tables, or a map of tables to "
         "columns"},
        {"tables: [patients]", "tables: [patience]",
         "line 47: there is no table or view 'patience' to grant"},
        {"tables: [patients]", "tables: [patients, patients]",
         "line 47: table 'patients' is granted twice"},
        {"[cost, day]", "[cost, price]",
         "line 46: there is no column 'price' "
         "in table 'visits' to grant"},
        {"[cost, day]", "[cost, cost]",
         "line 46: column 'cost' is granted "
         "twice"},
        {"[cost, day]", "some",
         "line 46: a grant of 'visits' must be a list "
         "of columns, or all"},
        {"[cost, day]", "[]",
         "line 46: a grant of 'visits' must be a list of "
         "columns, or all"},
        {"epsilon: 1/2, ", "", "line 44: an analyst's budget has no epsilon"},
        {"1e-8}", "1e-8, n: 3}",
         "line 44: there is no key 'n' in an "
         "analyst's budget; custos-policy(5) has the "
         "list"},
        {"epsilon: 0.1, days: 7", "days: 7", "line 45: window has no epsilon"},
        {", days: 7", "",
         "line 45: the window has no length; add its days, such as days: 1"},
        {"days: 7", "days: 0",
         "line 45: days must be a whole number from 1 to "
         "36500, not '0'"},
        {"days: 7", "weeks: 1",
         "line 45: there is no key 'weeks' in window; "
         "custos-policy(5) has the list"},
    };

    (void)state;
    CHECK_ALL(mistakes);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_of_columns),
        cmocka_unit_test(mistakes_of_references),
        cmocka_unit_test(mistakes_of_analysts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
