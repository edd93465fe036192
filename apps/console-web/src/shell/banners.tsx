import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type Outage, useOutage } from '../api/connection.ts';
import { meQuery, shownSince } from '../api/queries.ts';
import { RelativeTime, TimeOfDay } from '../ui/data/time.tsx';
import css from './page.module.css';

export function Banners() {
  const outage = useOutage();
  const server = useQuery({ ...meQuery, enabled: false }).data?.server;
  return (
    <div aria-live="polite" className={css.banners}>
      {outage && <Away outage={outage} />}
      {server && !server.is_encrypted && !server.is_loopback && (
        <p className={css.banner}>
          ⚠ This connection is not encrypted: others on the network can read your data and sign in as you. Use HTTPS.
        </p>
      )}
    </div>
  );
}

function Away({ outage }: { outage: Outage }) {
  const seconds = useSecondsUntil(outage.nextTryAt);
  const readAt = new Date(shownSince() ?? outage.since).toISOString();
  return (
    <p className={css.banner}>
      ⚠ The server is not responding. You see data from <TimeOfDay time={readAt} />
      <span aria-hidden>
        {' '}
        (<RelativeTime time={readAt} />)
      </span>
      , and changes are not possible.{' '}
      <span aria-hidden>{seconds > 0 ? `Trying again in ${seconds} s.` : 'Trying again…'}</span>
    </p>
  );
}

function useSecondsUntil(at: number): number {
  const left = () => Math.max(0, Math.ceil((at - Date.now()) / 1_000));
  const [seconds, setSeconds] = useState(left);
  useEffect(() => {
    setSeconds(left());
    const timer = setInterval(() => setSeconds(left()), 500);
    return () => clearInterval(timer);
  }, [at]);
  return seconds;
}
