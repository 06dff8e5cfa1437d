//! Arithmetic as C does it on 32-bit integers.

use crate::ast::{BinaryOp, UnaryOp};

/// The value of an operator of one operand.
pub(crate) fn unary(operator: UnaryOp, value: i32) -> i32 {
    match operator {
        UnaryOp::Not => i32::from(value == 0),
        UnaryOp::Minus => value.wrapping_neg(),
        UnaryOp::Complement => !value,
    }
}

/// The value of an operator of two operands; `None` for a division by zero.
pub(crate) fn binary(operator: BinaryOp, left: i32, right: i32) -> Option<i32> {
    Some(match operator {
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Subtract => left.wrapping_sub(right),
        BinaryOp::Multiply => left.wrapping_mul(right),
        BinaryOp::Divide if right == 0 => return None,
        BinaryOp::Divide => left.wrapping_div(right),
        BinaryOp::Remainder if right == 0 => return None,
        BinaryOp::Remainder => left.wrapping_rem(right),
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitXor => left ^ right,
        BinaryOp::BitOr => left | right,
        BinaryOp::Greater => i32::from(left > right),
        BinaryOp::Less => i32::from(left < right),
        BinaryOp::GreaterEqual => i32::from(left >= right),
        BinaryOp::LessEqual => i32::from(left <= right),
        BinaryOp::Equal => i32::from(left == right),
        BinaryOp::NotEqual => i32::from(left != right),
        BinaryOp::And => i32::from(left != 0 && right != 0),
        BinaryOp::Or => i32::from(left != 0 || right != 0),
        // The processor takes a shift by its width and more modulo that width.
        BinaryOp::ShiftLeft => left.wrapping_shl(right as u32),
        BinaryOp::ShiftRight => left.wrapping_shr(right as u32),
    })
}
