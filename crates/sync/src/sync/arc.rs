//! `Arc` and `Weak`.

use crate::runtime::{can_wait, create, is_active, perform, with};
use burnside_stateless::{Kind, ObjId, Op};
use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::panic::Location;
use std::pin::Pin;
use std::sync as real;

/// The names of a counted object: of its references, and of its weak ones. No name outside a run.
#[derive(Clone, Copy, Debug)]
struct Tag {
    strong: ObjId,
    weak: ObjId,
}

/// A counted reference; see [`std::sync::Arc`].
///
/// Clones and drops are visible operations only in programs that can tell: those that ask for a count, upgrade, unwrap or
/// borrow mutably, or whose destructors execute visible operations. Behind [`crate::Checker::check_leaks`], what nobody
/// gives up is a fault.
///
/// The compiler turns only its own `Arc<T>` into `Arc<dyn Trait>` or a method's receiver: make one of `std`'s and use
/// [`Arc::from_std`], or use `std`'s where nobody looks at the count.
pub struct Arc<T: ?Sized> {
    inner: ManuallyDrop<real::Arc<T>>,
    tag: Tag,
}

/// A reference that keeps nothing alive; see [`std::sync::Weak`].
pub struct Weak<T: ?Sized> {
    inner: real::Weak<T>,
    tag: Tag,
}

impl Tag {
    const NONE: Self = Self { strong: ObjId::NONE, weak: ObjId::NONE };

    #[track_caller]
    fn new() -> Self {
        if !is_active() {
            return Self::NONE;
        }
        let tag = Self { strong: create(None), weak: create(None) };
        with(|run| run.references.made(tag.strong, Location::caller()));
        tag
    }

    fn is_counted(self) -> bool {
        !self.strong.is_none() && can_wait() && with(|run| run.references.are_counted())
    }

    /// One reference more to `obj`, one of the two names.
    #[track_caller]
    fn one_more(self, obj: ObjId) {
        if self.is_counted() {
            perform(Op::on(Kind::RefClone, obj));
        }
    }

    /// Waits until the counts may be looked at.
    #[track_caller]
    fn look(self) {
        self.look_and_add(0);
    }

    /// As [`Tag::look`], to take so many more references in the same step.
    #[track_caller]
    fn look_and_add(self, n: u64) {
        if self.is_counted() {
            perform(Op { arg: n, ..Op::on_two(Kind::RefCount, self.strong, self.weak) });
        } else if is_active() {
            with(|run| run.references.need_counts());
        }
    }

    /// What follows from having been the only one.
    fn alone(self) {
        if is_active() {
            with(|run| run.memory.references_seen(run.current(), self.strong));
        }
    }
}

impl<T> Arc<T> {
    /// The first reference to `value`.
    #[track_caller]
    pub fn new(value: T) -> Self {
        Self::tagged(real::Arc::new(value), Tag::new())
    }

    /// The first reference to a value that may refer to itself.
    #[track_caller]
    pub fn new_cyclic(make: impl FnOnce(&Weak<T>) -> T) -> Self {
        let tag = Tag::new();
        let inner = real::Arc::new_cyclic(|weak| {
            let weak = Weak { inner: weak.clone(), tag };
            tag.one_more(tag.weak);
            make(&weak)
        });
        Self::tagged(inner, tag)
    }

    /// The first reference to a value that does not move.
    #[track_caller]
    pub fn pin(value: T) -> Pin<Self> {
        #[allow(unsafe_code, reason = "pinning behind a reference")]
        // SAFETY: the value lies behind an `Arc` and is moved out by `try_unwrap` and `into_inner` alone, which a pinned
        // reference does not let anyone call.
        unsafe {
            Pin::new_unchecked(Self::new(value))
        }
    }

    /// The value, if this is the only reference.
    ///
    /// # Errors
    ///
    /// With the reference, if there are others.
    #[track_caller]
    pub fn try_unwrap(this: Self) -> Result<T, Self> {
        let tag = this.tag;
        tag.look();
        match real::Arc::try_unwrap(this.untagged()) {
            Ok(value) => {
                tag.alone();
                gone(tag);
                Ok(value)
            }
            Err(inner) => Err(Self::tagged(inner, tag)),
        }
    }

    /// Drops the reference and gives the value to whoever drops the last one.
    #[track_caller]
    pub fn into_inner(this: Self) -> Option<T> {
        let tag = this.tag;
        if is_active() {
            with(|run| run.references.need_last(tag.strong));
        }
        let is_last = this.let_go();
        let value = real::Arc::into_inner(this.untagged());
        if is_last {
            gone(tag);
        }
        value
    }

    /// The value, or a clone of it if there are other references.
    #[track_caller]
    pub fn unwrap_or_clone(this: Self) -> T
    where
        T: Clone,
    {
        Self::try_unwrap(this).unwrap_or_else(|this| (*this).clone())
    }
}

/// Notes that the value behind the references is gone.
fn gone(tag: Tag) {
    if is_active() {
        with(|run| run.references.gone(tag.strong));
    }
}

impl<T: ?Sized> Arc<T> {
    fn tagged(inner: real::Arc<T>, tag: Tag) -> Self {
        Self { inner: ManuallyDrop::new(inner), tag }
    }

    /// A reference of `std` as one of these, counted from here on.
    #[track_caller]
    pub fn from_std(inner: real::Arc<T>) -> Self {
        Self::tagged(inner, Tag::new())
    }

    #[allow(unsafe_code, reason = "moving out of a type with a destructor")]
    fn untagged(self) -> real::Arc<T> {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: `this` is not used or dropped afterwards.
        unsafe { ManuallyDrop::take(&mut this.inner) }
    }

    /// The visible part of dropping a reference; says whether it is the last.
    #[track_caller]
    fn let_go(&self) -> bool {
        let obj = self.tag.strong;
        if self.tag.is_counted() {
            let matters = with(|run| run.references.last_matters(obj));
            perform(Op::with(Kind::RefDrop, obj, u64::from(matters)));
        }
        let is_last = real::Arc::strong_count(&self.inner) == 1;
        if is_active() && !obj.is_none() {
            with(|run| {
                let me = run.current();
                if run.memory.is_active() && run.memory.reference_dropped(me, obj, is_last) {
                    run.references.need_last(obj);
                }
            });
        }
        is_last
    }

    /// How many references there are.
    #[track_caller]
    #[must_use]
    pub fn strong_count(this: &Self) -> usize {
        this.tag.look();
        real::Arc::strong_count(&this.inner)
    }

    /// How many weak references there are.
    #[track_caller]
    #[must_use]
    pub fn weak_count(this: &Self) -> usize {
        this.tag.look();
        real::Arc::weak_count(&this.inner)
    }

    /// The value, if nobody else refers to it.
    #[track_caller]
    pub fn get_mut(this: &mut Self) -> Option<&mut T> {
        this.tag.look();
        let tag = this.tag;
        real::Arc::get_mut(&mut this.inner).inspect(|_| tag.alone())
    }

    /// The value, in a copy of one's own if there are other references.
    #[track_caller]
    pub fn make_mut(this: &mut Self) -> &mut T
    where
        T: Clone,
    {
        this.tag.look();
        if real::Arc::get_mut(&mut this.inner).is_none() {
            let copy = (**this).clone();
            *this = Self::new(copy);
        } else {
            this.tag.alone();
        }
        real::Arc::get_mut(&mut this.inner).expect("the only reference")
    }

    /// A reference that keeps nothing alive.
    #[track_caller]
    #[must_use]
    pub fn downgrade(this: &Self) -> Weak<T> {
        this.tag.one_more(this.tag.weak);
        Weak { inner: real::Arc::downgrade(&this.inner), tag: this.tag }
    }

    /// Whether both refer to the same value.
    #[must_use]
    pub fn ptr_eq(this: &Self, other: &Self) -> bool {
        real::Arc::ptr_eq(&this.inner, &other.inner)
    }

    /// Where the value is.
    #[must_use]
    pub fn as_ptr(this: &Self) -> *const T {
        real::Arc::as_ptr(&this.inner)
    }

    /// The reference as a pointer, to be turned back by [`Arc::from_raw`].
    #[must_use]
    pub fn into_raw(this: Self) -> *const T {
        let tag = this.tag;
        let pointer = real::Arc::into_raw(this.untagged());
        if is_active() {
            let raw = (tag.strong, tag.weak);
            with(|run| run.references.raw.entry(pointer.cast::<()>().addr()).or_default().push(raw));
        }
        pointer
    }

    /// The reference that a pointer was made of.
    ///
    /// # Safety
    ///
    /// The pointer comes from [`Arc::into_raw`], and is turned back once.
    #[allow(unsafe_code, reason = "as in std")]
    #[must_use]
    pub unsafe fn from_raw(pointer: *const T) -> Self {
        let take = || with(|run| run.references.raw.get_mut(&pointer.cast::<()>().addr()).and_then(Vec::pop));
        let tag = is_active().then(take).flatten().map_or(Tag::NONE, |(strong, weak)| Tag { strong, weak });
        // SAFETY: the caller's promise.
        Self::tagged(unsafe { real::Arc::from_raw(pointer) }, tag)
    }
}

impl<T: ?Sized> Drop for Arc<T> {
    #[track_caller]
    #[allow(unsafe_code, reason = "the reference is dropped by hand, to see what its destructor does")]
    fn drop(&mut self) {
        let is_last = self.let_go();
        let n_before = is_last.then(n_visible).flatten();
        // SAFETY: nobody uses the field after the destructor of its owner.
        unsafe { ManuallyDrop::drop(&mut self.inner) };
        if !is_last || !is_active() {
            return;
        }
        gone(self.tag);
        if n_visible() != n_before {
            with(|run| run.references.need_last(self.tag.strong));
        }
    }
}

/// The number of visible operations of the running thread so far.
fn n_visible() -> Option<u32> {
    is_active().then(|| {
        with(|run| {
            let me = run.current();
            run.thread(me).n_visible
        })
    })
}

impl<T: ?Sized> Clone for Arc<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        self.tag.one_more(self.tag.strong);
        Self::tagged(real::Arc::clone(&self.inner), self.tag)
    }
}

impl<T: ?Sized> Deref for Arc<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T> Weak<T> {
    /// A reference to nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self { inner: real::Weak::new(), tag: Tag::NONE }
    }
}

impl<T> Default for Weak<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: ?Sized> Weak<T> {
    /// A reference proper, while there is another.
    #[track_caller]
    #[must_use]
    pub fn upgrade(&self) -> Option<Arc<T>> {
        self.tag.look_and_add(1);
        let inner = self.inner.upgrade()?;
        Some(Arc::tagged(inner, self.tag))
    }

    /// How many references proper there are.
    #[track_caller]
    #[must_use]
    pub fn strong_count(&self) -> usize {
        self.tag.look();
        self.inner.strong_count()
    }

    /// How many weak references there are, none if there is no other.
    #[track_caller]
    #[must_use]
    pub fn weak_count(&self) -> usize {
        self.tag.look();
        self.inner.weak_count()
    }

    /// Whether both refer to the same value.
    #[must_use]
    pub fn ptr_eq(&self, other: &Self) -> bool {
        self.inner.ptr_eq(&other.inner)
    }
}

impl<T: ?Sized> Clone for Weak<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        self.tag.one_more(self.tag.weak);
        Self { inner: self.inner.clone(), tag: self.tag }
    }
}

impl<T: ?Sized> Drop for Weak<T> {
    #[track_caller]
    fn drop(&mut self) {
        if self.tag.is_counted() {
            perform(Op::on(Kind::RefDrop, self.tag.weak));
        }
    }
}

impl<T: ?Sized> fmt::Debug for Weak<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(Weak)")
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: Default> Default for Arc<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for Arc<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T> From<Vec<T>> for Arc<[T]> {
    #[track_caller]
    fn from(values: Vec<T>) -> Self {
        Self::from_std(values.into())
    }
}

impl From<&str> for Arc<str> {
    #[track_caller]
    fn from(text: &str) -> Self {
        Self::from_std(text.into())
    }
}

impl From<String> for Arc<str> {
    #[track_caller]
    fn from(text: String) -> Self {
        Self::from_std(text.into())
    }
}

impl<T: ?Sized> AsRef<T> for Arc<T> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T: ?Sized> Borrow<T> for Arc<T> {
    fn borrow(&self) -> &T {
        self
    }
}

impl<T: ?Sized + PartialEq> PartialEq for Arc<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: ?Sized + Eq> Eq for Arc<T> {}

impl<T: ?Sized + PartialOrd> PartialOrd for Arc<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        (**self).partial_cmp(&**other)
    }
}

impl<T: ?Sized + Ord> Ord for Arc<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (**self).cmp(&**other)
    }
}

impl<T: ?Sized + Hash> Hash for Arc<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: ?Sized> Unpin for Arc<T> {}
