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
    // Characters and the preprocessor.
    UNEXPECTED_CHARACTER = "unexpected-character": "a character that no token contains";
    UNTERMINATED_TEXT = "unterminated-text": "a text or character without its closing quote";
    UNTERMINATED_COMMENT = "unterminated-comment": "a comment that swallows the rest of the file";
    BAD_DIRECTIVE = "bad-directive": "a line that begins with `#` and is not a directive";
    BAD_CONDITION = "bad-condition": "a condition that the preprocessor cannot evaluate";
    UNBALANCED_CONDITIONAL = "unbalanced-conditional": "`#if` and `#endif` that do not match";
    MACRO_ARGUMENTS = "macro-arguments": "too many or too few arguments of a macro";
    EXPANSION_TOO_LARGE = "expansion-too-large": "macros or inlines that grow beyond the limit";
    INCLUDE_FAILED = "include-failed": "a file that cannot be included";
    ERROR_DIRECTIVE = "error-directive": "a `#error` that the model wants to be seen";

    // Syntax.
    SYNTAX = "syntax": "something else was expected here";
    EMPTY_SEQUENCE = "empty-sequence": "a body, block or option without statements";
    NESTING_TOO_DEEP = "nesting-too-deep": "text nested beyond the limit";
    LABEL_ON_DECLARATION = "label-on-declaration": "a label in front of a declaration";
    LOCAL_MTYPE = "local-mtype": "`mtype` names declared inside a process";
    RECURSIVE_INLINE = "recursive-inline": "an inline that calls itself";
    INLINE_ARGUMENTS = "inline-arguments": "too many or too few arguments of an inline";
    STRAY_RETURN = "stray-return": "`return` outside an inline whose value is used";

    // Not supported.
    EMBEDDED_C = "embedded-c": "C inside the model";

    // Names.
    UNKNOWN_NAME = "unknown-name": "a name that is not declared before its use";
    DUPLICATE_NAME = "duplicate-name": "a name declared again where it is visible";
    WRONG_KIND = "wrong-kind": "a name of one kind where another kind is needed";
    UNKNOWN_FIELD = "unknown-field": "a field that the structure does not have";
    UNKNOWN_PROCESS = "unknown-process": "a process type that is not declared";
    UNKNOWN_LABEL = "unknown-label": "a label that does not exist in that process";
    DUPLICATE_LABEL = "duplicate-label": "a label declared twice in one process";

    // Declarations.
    NOT_CONSTANT = "not-constant": "a value that must be known before the model runs";
    VARIABLE_AS_CONSTANT = "variable-as-constant": "a variable used for its first value";
    DIVISION_BY_ZERO = "division-by-zero": "constant division by zero";
    ARRAY_LENGTH = "array-length": "an array with an impossible length or too many first values";
    UNSIGNED_WIDTH = "unsigned-width": "a missing or impossible width, or one on another type";
    HIDDEN_VARIABLE = "hidden-variable": "a variable that cannot be hidden";
    PARAMETER_FORM = "parameter-form": "a parameter that is an array or has a first value";
    LIST_FOR_SCALAR = "list-for-scalar": "a list of values for something that is not an array";
    LIST_IN_MID_BODY = "list-in-mid-body": "a list of values behind the first statement";
    CHANNEL_IN_MID_BODY = "channel-in-mid-body": "a channel made behind the first statement";
    CHANNEL_INITIALISER = "channel-initialiser": "a channel with an impossible type, capacity or field";
    TOO_MANY_MTYPES = "too-many-mtypes": "more than 255 names of one `mtype`";
    TOO_MANY_PROCESSES = "too-many-processes": "more processes than can exist together";
    PRIORITY_RANGE = "priority-range": "a priority outside 1 to 255";
    ACTIVE_PARAMETERS = "active-parameters": "an active process type with parameters";

    // Expressions.
    MISSING_INDEX = "missing-index": "an array without an index";
    NOT_AN_ARRAY = "not-an-array": "an index on something that is not an array";
    NOT_A_STRUCT = "not-a-struct": "a field of something that has none";
    INDEX_OUT_OF_RANGE = "index-out-of-range": "a constant index outside the array";
    STRUCT_INITIALISER = "struct-initialiser": "a first value for a structure, which has no effect";
    STRUCT_VALUE = "struct-value": "a whole structure where one value is needed";
    WRITE_ONLY = "write-only": "the value of `_` is read";
    NEGATED_PROBE = "negated-probe": "`full`, `empty` and their opposites below an operator other than `&&` and `||`";
    RUN_POSITION = "run-position": "`run` where no process can be started";
    RUN_ARGUMENTS = "run-arguments": "too many or too few arguments of `run`";
    REMOTE_IN_D_STEP = "remote-in-d-step": "a `d_step` that looks into another process";
    TEMPORAL_OPERAND = "temporal-operand": "a temporal operator below arithmetic";
    CLAIM_ONLY = "claim-only": "something that has a meaning in claims only";

    // Statements.
    NOT_ASSIGNABLE = "not-assignable": "an assignment to something that is not a variable";
    NOT_A_CHANNEL = "not-a-channel": "a message sent to or received from something that is no channel";
    CHANNEL_NUMBER = "channel-number": "arithmetic on channels";
    MTYPE_MISMATCH = "mtype-mismatch": "a name of one `mtype` for a variable of another";
    MESSAGE_FIELDS = "message-fields": "a message with another number of fields than its channel has";
    LONG_MESSAGE = "long-message": "a message longer than those of any channel";
    REPEATED_FIELD = "repeated-field": "one variable for two fields of a message";
    RECEIVE_INTO_PID = "receive-into-pid": "a receive that overwrites the number of its process";
    PRINTF_VALUES = "printf-values": "a text that asks for more values than are given";
    DUPLICATE_ELSE = "duplicate-else": "two `else` in one selection";
    STRAY_BREAK = "stray-break": "`break` outside a loop";
    D_STEP_JUMP = "d-step-jump": "a jump that leaves or enters a `d_step`";
    LABEL_ON_FIRST = "label-on-first": "a label on a statement that is not a place of its own";
    UNLESS_IN_D_STEP = "unless-in-d-step": "`unless` inside a `d_step`";
    LOOP_VARIABLE = "loop-variable": "something that cannot count a loop";
    EMPTY_RANGE = "empty-range": "a range whose upper bound is below its lower bound";

    // Claims and whole models.
    CLAIM_VARIABLE = "claim-variable": "a variable declared in a claim";
    CLAIM_STATEMENT = "claim-statement": "a statement that its claim cannot hold";
    NO_PROCESS = "no-process": "a model in which nothing can happen";
    PRIORITY_RENDEZVOUS = "priority-rendezvous": "priorities together with rendezvous channels";
    JUMP_CYCLE = "jump-cycle": "jumps that lead in a circle";
    INHERITED_ELSE = "inherited-else": "an `else` that a nested selection hands to the outer one";
    IDLE_LOOP = "idle-loop": "a loop that can do nothing for ever";
    UNCHECKED_CLAIM = "unchecked-claim": "a claim that is read and not checked";
    NO_LABELS = "no-labels": "a check of labels that no process has";
    NO_PROMISES = "no-promises": "a check of promises that no process makes";
    ENABLED_RENDEZVOUS = "enabled-rendezvous": "`enabled` together with rendezvous channels";
}
