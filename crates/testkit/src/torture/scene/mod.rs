//! One scene for each class of traps: what it needs, its rules, and something that would notice.

mod effects;
mod multisets;
mod numbers;
mod orders;
mod undefined;

use super::class::Class;
use super::world::World;

impl World {
    /// Adds a scene of a class.
    pub(super) fn play(&mut self, class: Class) {
        match class {
            Class::QuantifierEffect => self.quantifier_effect(),
            Class::PredicateEffect => self.predicate_effect(),
            Class::PredicateSelf => self.predicate_self(),
            Class::GuardEffect => self.guard_effect(),
            Class::BinderEffect => self.binder_effect(),
            Class::PropertyEffect => self.property_effect(),
            Class::CallEffect => self.call_effect(),
            Class::SlotForeign => self.slot_foreign(),
            Class::SlotEscape => self.slot_escape(),
            Class::SlotReuse => self.slot_reuse(),
            Class::RemovedAlias => self.removed_alias(),
            Class::VarParameter => self.var_parameter(),
            Class::BinderFault => self.binder_fault(),
            Class::AssumeInFunction => self.assume_in_function(),
            Class::UndefinedCopy => self.undefined_copy(),
            Class::PropertyFault => self.property_fault(),
            Class::LoopLimit => self.loop_limit(),
            Class::LoopOrder => self.loop_order(),
            Class::UndefineOrder => self.undefine_order(),
            Class::Arithmetic => self.arithmetic(),
            Class::Recursion => self.recursion(),
            Class::Priority => self.priority(),
            Class::Union => self.unions(),
            Class::NearSymmetry => self.near_symmetry(),
            Class::Aggregate => self.aggregates(),
            Class::Wild => self.wild(),
        }
    }
}
