//! Channels; see [`std::sync::mpsc`].

use crate::runtime::{adjust, advance, create, only_looked, perform, perform_in_drop};
use burnside_stateless::{Chan, Kind, ObjId, Object, Op};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

/// What the scheduler answers to a channel operation; anything else means that the other side is gone.
const SUCCESS: u64 = 1;
const NOT_NOW: u64 = 0;

/// The messages; the scheduler sees to it that nobody waits for this lock.
struct Queue<T> {
    obj: ObjId,
    capacity: Option<usize>,
    messages: Mutex<VecDeque<T>>,
}

impl<T> Queue<T> {
    /// In a bounded channel the label names the channel twice: receiving makes room for sending there.
    fn op(&self, kind: Kind) -> Op {
        Op::on_two(kind, self.obj, if self.capacity.is_some() { self.obj } else { ObjId::NONE })
    }

    fn push(&self, message: T) {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner).push_back(message);
    }

    fn pop(&self) -> T {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner).pop_front().expect("a message was granted")
    }

    fn clone_sender(&self) {
        adjust(self.obj, |object| {
            if let Object::Chan(chan) = object {
                chan.n_senders += 1;
            }
        });
    }
}

/// An unbounded channel.
#[must_use]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let queue = queue(None);
    (Sender { queue: Arc::clone(&queue) }, Receiver { queue })
}

/// A channel with room for `bound` messages; 0 hands over directly.
#[must_use]
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    let queue = queue(Some(bound));
    (SyncSender { queue: Arc::clone(&queue) }, Receiver { queue })
}

fn queue<T>(capacity: Option<usize>) -> Arc<Queue<T>> {
    let obj = create(Some(Object::Chan(Chan::new(capacity.map(|bound| bound as u64)))));
    Arc::new(Queue { obj, capacity, messages: Mutex::new(VecDeque::new()) })
}

/// The sending half of an unbounded channel.
pub struct Sender<T> {
    queue: Arc<Queue<T>>,
}

impl<T> Sender<T> {
    /// Puts in a message.
    ///
    /// # Errors
    ///
    /// With the message, if the receiver is gone.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        if perform(self.queue.op(Kind::ChanSend)) != SUCCESS {
            return Err(SendError(message));
        }
        self.queue.push(message);
        Ok(())
    }
}

/// The sending half of a bounded channel.
pub struct SyncSender<T> {
    queue: Arc<Queue<T>>,
}

impl<T> SyncSender<T> {
    /// Waits for room and puts in a message; waits until it is taken if the channel has no room at all.
    ///
    /// # Errors
    ///
    /// With the message, if the receiver is gone.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        let number = self.n_sent();
        if perform(self.queue.op(Kind::ChanSend)) != SUCCESS {
            return Err(SendError(message));
        }
        self.queue.push(message);
        if self.queue.capacity == Some(0) {
            let number = number.max(self.n_sent() - 1);
            if perform(Op { arg: number, ..self.queue.op(Kind::ChanHandoff) }) == 0 {
                return Err(SendError(self.queue.pop()));
            }
        }
        Ok(())
    }

    /// Puts in a message if there is room. A channel without room never has any unless a receiver waits, which is not
    /// modelled: there, this always finds it full.
    ///
    /// # Errors
    ///
    /// With the message, if there is no room or the receiver is gone.
    #[track_caller]
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        if self.queue.capacity == Some(0) {
            return Err(TrySendError::Full(message));
        }
        match perform(self.queue.op(Kind::ChanTrySend)) {
            SUCCESS => {
                self.queue.push(message);
                Ok(())
            }
            NOT_NOW => {
                only_looked(self.queue.obj);
                Err(TrySendError::Full(message))
            }
            _ => Err(TrySendError::Disconnected(message)),
        }
    }

    fn n_sent(&self) -> u64 {
        let mut n_sent = 0;
        adjust(self.queue.obj, |object| {
            if let Object::Chan(chan) = object {
                n_sent = chan.n_sent;
            }
        });
        n_sent
    }
}

/// The receiving half.
pub struct Receiver<T> {
    queue: Arc<Queue<T>>,
}

impl<T> Receiver<T> {
    /// Waits for a message.
    ///
    /// # Errors
    ///
    /// If the channel is empty and every sender is gone.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        if perform(self.queue.op(Kind::ChanRecv)) == SUCCESS { Ok(self.queue.pop()) } else { Err(RecvError) }
    }

    /// Takes a message if there is one.
    ///
    /// # Errors
    ///
    /// If the channel is empty.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        match perform(self.queue.op(Kind::ChanTryRecv)) {
            SUCCESS => Ok(self.queue.pop()),
            NOT_NOW => {
                only_looked(self.queue.obj);
                Err(TryRecvError::Empty)
            }
            _ => Err(TryRecvError::Disconnected),
        }
    }

    /// Waits for a message or a deadline, which may pass at any moment.
    ///
    /// # Errors
    ///
    /// If the deadline passed, or the channel is empty and every sender is gone.
    #[track_caller]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        self.try_recv().map_err(|error| match error {
            TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
            TryRecvError::Empty => {
                advance(timeout);
                RecvTimeoutError::Timeout
            }
        })
    }

    /// Messages until every sender is gone.
    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        std::iter::from_fn(|| self.recv().ok())
    }

    /// The messages that are there.
    pub fn try_iter(&self) -> impl Iterator<Item = T> + '_ {
        std::iter::from_fn(|| self.try_recv().ok())
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter(self)
    }
}

/// Messages of an owned receiver until every sender is gone.
pub struct IntoIter<T>(Receiver<T>);

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.recv().ok()
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        self.queue.clone_sender();
        Self { queue: Arc::clone(&self.queue) }
    }
}

impl<T> Clone for SyncSender<T> {
    fn clone(&self) -> Self {
        self.queue.clone_sender();
        Self { queue: Arc::clone(&self.queue) }
    }
}

impl<T> Drop for Sender<T> {
    #[track_caller]
    fn drop(&mut self) {
        perform_in_drop(self.queue.op(Kind::SenderDrop));
    }
}

impl<T> Drop for SyncSender<T> {
    #[track_caller]
    fn drop(&mut self) {
        perform_in_drop(self.queue.op(Kind::SenderDrop));
    }
}

impl<T> Drop for Receiver<T> {
    #[track_caller]
    fn drop(&mut self) {
        perform_in_drop(self.queue.op(Kind::ReceiverDrop));
    }
}
