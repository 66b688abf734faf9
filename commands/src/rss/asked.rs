//! [`Asked`]: the feed that is to be fetched, and what is known and learned of it.

use tapeline::{Context, ErrorCode, Failure};

use super::{
    answer,
    feed_url::FeedUrl,
    fetch_state::{FetchState, FetchStates, Validators},
    name::Name,
    state_file,
    subscriptions::{Subscriptions, not_found},
};

/// What is to be fetched, and what is known of it.
pub(super) struct Asked {
    pub(super) url: FeedUrl,
    /// `None` for a URL that nothing is remembered of.
    subscription: Option<(Name, FetchState)>,
}

impl Asked {
    /// A URL that nothing is remembered of.
    pub(super) fn by_url(url: FeedUrl) -> Self {
        Self { url, subscription: None }
    }

    /// # Errors
    /// `NotFound`, `StateCorrupt`, and the door's.
    pub(super) async fn by_name(name: &Name, door: &Context) -> Result<Self, Failure> {
        // Without it, one of the files could be from before another run's change and the other
        // from after it: validators of another feed.
        let _lock = match state_file::lock(door).await {
            Ok(lock) => Some(lock),
            // Where nothing may be written there is no lock, and nobody who changes the files.
            Err(failure) if failure.code() == ErrorCode::CAPABILITY_DENIED => None,
            Err(failure) => return Err(failure),
        };
        let subscriptions = Subscriptions::read(door)?;
        let url = subscriptions.of(name).ok_or_else(|| not_found(name))?.url.clone();
        let state = FetchStates::read(door)?.remove(name);
        let state = state.unwrap_or_else(|| FetchState::new(name.clone()));
        Ok(Self { url, subscription: Some((name.clone(), state)) })
    }

    /// # Errors
    /// `RateLimited` during a pause.
    pub(super) fn check_pause(&self, now_ms: i64) -> Result<(), Failure> {
        let Some((name, state)) = &self.subscription else { return Ok(()) };
        let left_ms = state
            .not_before_ms
            .and_then(|until_ms| u64::try_from(until_ms.saturating_sub(now_ms)).ok())
            .filter(|left_ms| *left_ms > 0);
        match left_ms {
            Some(left_ms) => {
                let hint = "ask again after the pause; `--force` asks all the same";
                Err(answer::rate_limited(name.as_str(), Some(left_ms), hint))
            }
            None => Ok(()),
        }
    }

    pub(super) fn validators(&self) -> Validators {
        self.subscription
            .as_ref()
            .map_or_else(Validators::default, |(_, state)| state.validators.clone())
    }

    /// What an answer taught that could not be used: whether it asked for a pause nobody knows, so
    /// one that is known stays.
    pub(super) fn learned_of_broken(&self, status: u16, now_ms: i64) -> Learned {
        let not_before_ms = self.subscription.as_ref().and_then(|(_, state)| state.not_before_ms);
        Learned { status, now_ms, not_before_ms, validators: None }
    }

    pub(super) fn name(&self) -> Option<&Name> {
        self.subscription.as_ref().map(|(name, _)| name)
    }

    /// How texts call it.
    pub(super) fn label(&self) -> &str {
        self.name().map_or(self.url.as_str(), Name::as_str)
    }

    /// Keeps what an answer taught, if the subscription is still to the feed that was asked.
    ///
    /// # Errors
    /// Why it is not kept.
    pub(super) async fn remember(&self, door: &Context, learned: Learned) -> Result<(), String> {
        let Some((name, _)) = &self.subscription else { return Ok(()) };
        let told = |failure: Failure| failure.message().to_owned();
        let _lock = state_file::lock(door).await.map_err(told)?;
        let subscriptions = Subscriptions::read(door).map_err(told)?;
        let is_current = subscriptions
            .of(name)
            .is_some_and(|current| current.url.is_same_place(self.url.as_str()));
        if !is_current {
            return Err(format!("the subscription `{name}` was changed meanwhile"));
        }
        let mut states = FetchStates::read(door).map_err(told)?;
        let state = states.remove(name).unwrap_or_else(|| FetchState::new(name.clone()));
        states.put(learned.into_state(state));
        states.write(door).map_err(told)
    }
}

/// What an answer taught of a subscription.
pub(super) struct Learned {
    pub(super) status: u16,
    pub(super) now_ms: i64,
    pub(super) not_before_ms: Option<i64>,
    /// `None`: those that were known still count.
    pub(super) validators: Option<Validators>,
}

impl Learned {
    fn into_state(self, mut state: FetchState) -> FetchState {
        state.answered(self.status, self.now_ms, self.not_before_ms);
        if let Some(validators) = self.validators {
            state.validators = validators;
        }
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_over_at_its_end() {
        let check = |not_before_ms, now_ms| {
            let name: Name = "daily".parse().unwrap();
            let mut state = FetchState::new(name.clone());
            state.not_before_ms = not_before_ms;
            let url = "https://a.example/".parse().unwrap();
            let asked = Asked { url, subscription: Some((name, state)) };
            let failure = asked.check_pause(now_ms).err()?;
            failure.detail_json("retry_after_ms").map(str::to_owned)
        };
        assert_eq!(check(None, 0), None);
        assert_eq!(check(Some(10), 9).as_deref(), Some("1"));
        assert_eq!(check(Some(10), 10), None);
        assert_eq!(check(Some(i64::MIN), i64::MAX), None);
        assert_eq!(check(Some(i64::MAX), i64::MIN).as_deref(), Some("9223372036854775807"));
    }
}
