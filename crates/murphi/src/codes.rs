//! Every diagnostic this crate can give, by its stable name.

use burnside_diag::Code;

macro_rules! codes {
    ($($(#[$section:meta])* $constant:ident = $name:literal: $explanation:literal;)*) => {
        $(#[doc = $explanation] pub(crate) const $constant: Code = Code($name);)*

        /// All codes with a one-line explanation of each.
        pub const CODES: &[(Code, &str)] = &[$(($constant, $explanation)),*];
    };
}

codes! {
    // Characters and syntax.
    UNEXPECTED_CHARACTER = "unexpected-character": "a character that no token contains";
    LEADING_UNDERSCORE = "leading-underscore": "a name that begins with an underscore";
    UNTERMINATED_STRING = "unterminated-string": "a string without its closing quote";
    UNTERMINATED_COMMENT = "unterminated-comment": "a comment that swallows the rest of the file";
    INTEGER_TOO_LARGE = "integer-too-large": "a number beyond 64 bits";
    LEADING_ZERO = "leading-zero": "a number that one dialect reads as decimal and the other as octal";
    SYNTAX = "syntax": "something else was expected here";
    MISMATCHED_END = "mismatched-end": "an `end…` word that does not fit what it should close";
    MISSING_GUARD = "missing-guard": "a rule with neither a guard nor `begin`";
    EQUALS_FOR_ASSIGNMENT = "equals-for-assignment": "`=` where `:=` is meant";
    CHAINED_OPERATOR = "chained-operator": "operators that do not chain without parentheses";
    CALL_PROJECTION = "call-projection": "a field or element of a function's result";
    NESTING_TOO_DEEP = "nesting-too-deep": "text nested beyond the limit";

    // Parts of the languages that are not supported.
    UNSUPPORTED_EXTERNFUN = "unsupported-externfun": "a function written in C";
    UNSUPPORTED_EXTERNPROC = "unsupported-externproc": "a procedure written in C";
    UNSUPPORTED_PCTL = "unsupported-pctl": "a probabilistic formula";
    UNSUPPORTED_REAL = "unsupported-real": "real numbers";
    UNSUPPORTED_PROBABILITY = "unsupported-probability": "a rule with a probability for a guard";

    // Names.
    UNKNOWN_NAME = "unknown-name": "a name that is not declared before its use";
    DUPLICATE_NAME = "duplicate-name": "a name declared twice in one scope";
    SHADOWED_PARAMETER = "shadowed-parameter": "a ruleset parameter that hides one of an enclosing ruleset or alias";
    WRONG_KIND = "wrong-kind": "a name of one kind where another kind is needed";
    UNKNOWN_FIELD = "unknown-field": "a field that the record does not have";
    UNKNOWN_OVERRIDE = "unknown-override": "a value given on the command line for a constant that does not exist";
    OVERRIDE_TYPE = "override-type": "a value given on the command line for a constant of another type";

    // Constants and types.
    NOT_CONSTANT = "not-constant": "a value that must be known before the model runs";
    CONSTANT_OVERFLOW = "constant-overflow": "constant arithmetic beyond 64 bits";
    DIVISION_BY_ZERO = "division-by-zero": "constant division by zero";
    EMPTY_RANGE = "empty-range": "a range whose upper bound is below its lower bound";
    EMPTY_ENUM = "empty-enum": "an enumeration without members";
    SCALARSET_SIZE = "scalarset-size": "a scalarset without members or with too many";
    UNION_MEMBER = "union-member": "a union of something other than enumerations and scalarsets";
    ARRAY_INDEX = "array-index": "an array indexed by something other than a simple type";
    MULTISET_TYPE = "multiset-type": "a multiset with an impossible capacity or element";

    // Expressions.
    TYPE_MISMATCH = "type-mismatch": "a value of one type where another is needed";
    OPERAND_TYPE = "operand-type": "an operator on values it is not defined for";
    CONDITION_TYPE = "condition-type": "a condition that is not a truth value";
    SCALARSET_ARITHMETIC = "scalarset-arithmetic": "arithmetic or order on the members of a scalarset";
    SCALARSET_LITERAL = "scalarset-literal": "a number for a member of a scalarset";
    SCALARSET_POSITION = "scalarset-position": "the position of a scalarset's member is used";
    RINGSET_NEIGHBOUR = "ringset-neighbour": "`next` or `prev` of something that is not a member of a ringset";
    ENUM_ORDER = "enum-order": "arithmetic or order on the members of an enumeration";
    NOT_INDEXED = "not-indexed": "an index on something that has no elements";
    NOT_A_RECORD = "not-a-record": "a field of something that has none";
    MULTISET_INDEX = "multiset-index": "an element of a multiset not named by `choose`";
    IS_UNDEFINED_ARGUMENT = "isundefined-argument": "`isundefined` of something other than a simple variable";
    IS_MEMBER_ARGUMENT = "ismember-argument": "`ismember` of something other than a union variable and a member type";
    UNDEFINED_POSITION = "undefined-position": "`undefined` where a value is needed";
    AGGREGATE_CONDITIONAL = "aggregate-conditional": "`?:` between records, arrays or multisets";
    VALUE_OUT_OF_RANGE = "value-out-of-range": "a constant outside the range it is stored in or used as index of";

    // Calls.
    ARGUMENT_COUNT = "argument-count": "too many or too few arguments";
    VAR_ARGUMENT = "var-argument": "an argument that is not a variable for a `var` parameter";
    PROCEDURE_VALUE = "procedure-value": "a procedure used for a value it does not return";
    EFFECT_IN_EXPRESSION = "effect-in-expression": "a function that changes something, called where no order is defined";
    MULTISET_ARGUMENT = "multiset-argument": "a multiset operation on unsuitable arguments";

    // Statements.
    NOT_ASSIGNABLE = "not-assignable": "an assignment to something that is not a variable";
    RETURN_VALUE = "return-value": "a `return` with a value where none is due, or without one";
    MISSING_RETURN = "missing-return": "a function that may end without a result";
    STEP_ZERO = "step-zero": "a loop that never advances";
    EMPTY_LOOP = "empty-loop": "a loop with constant bounds that runs no round";
    DUPLICATE_LABEL = "duplicate-label": "a label that an earlier case has taken";
    LIVENESS_STATEMENT = "liveness-statement": "`liveness` among statements";

    // Temporal formulas.
    LETTER_IS_NAME = "letter-is-name": "a letter that would be a temporal operator if the model had no such name";
    PATH_QUANTIFIER = "path-quantifier": "a quantifier over executions in a formula about each one";
    PATH_FORMULA = "path-formula": "a temporal operator that is under no quantifier over executions";
    FORMULA_VARIABLE = "formula-variable": "a variable of a formula that does not go through a type";

    // Whole models.
    CLEAR_SCALARSET = "clear-scalarset": "`clear` picks a member of a scalarset";
    NO_STARTSTATE = "no-startstate": "a model that cannot begin";
    NO_RULES = "no-rules": "a model in which nothing happens";
    UNUSED_VARIABLE = "unused-variable": "a state variable that nothing mentions";
    UNUSED_PARAMETER = "unused-parameter": "a ruleset parameter that nothing mentions";
}
