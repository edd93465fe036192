import { createStore } from '../../api/store.ts';
import { relativeText } from './relative-time.ts';

/** Setting in localStorage, shared by all tabs of this browser. */
const settingName = 'relata.times';
const read = () => localStorage.getItem(settingName) === 'utc';

const isUtc = createStore(read());

addEventListener('storage', ({ key }) => (key === settingName || key === null) && isUtc.set(read()));

/** Returns true if times are shown in UTC rather than in the time zone of this browser. */
const areTimesUtc = isUtc.get;

export const useAreTimesUtc = () => isUtc.useValue();

export function showTimesInUtc(next: boolean): void {
  if (next) localStorage.setItem(settingName, 'utc');
  else localStorage.removeItem(settingName);
  isUtc.set(next);
}

const toTheMinute = { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const;

/** Returns the formats of a time zone, by default that of the browser. */
function formatsIn(zone: { timeZone?: string }) {
  return {
    absolute: new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', ...zone }),
    zoned: new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long', ...zone }),
    clock: new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', ...zone }),
    hour: new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', ...zone }),
    moment: new Intl.DateTimeFormat('en-GB', { ...toTheMinute, ...zone }),
  };
}

/** Time zone of the browser, such as `Europe/Zurich`. */
export const browserZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

const local = formatsIn({});
const utc = formatsIn({ timeZone: 'UTC' });
const formats = (isUtc: boolean) => (isUtc ? utc : local);

const clock = createStore(Date.now());
setInterval(() => clock.set(Date.now()), 1_000);

/** Returns the current time, updated every second while `isRunning`; otherwise 0. */
export const useNow = (isRunning: boolean) => clock.useValue((now) => (isRunning ? now : 0));

/** Relative time; the full date with its time zone on hover and for screen readers. */
export function RelativeTime({ time }: { time: string }) {
  // Renders again only when the words change.
  const text = clock.useValue((now) => relativeText(Date.parse(time), now));
  return <Time time={time}>{() => text}</Time>;
}

/** Date and time, to the second, in the selected time zone; UTC is named. */
export function DateTime({ time }: { time: string }) {
  return <Time time={time}>{(date, isUtc) => `${formats(isUtc).absolute.format(date)}${isUtc ? ' UTC' : ''}`}</Time>;
}

/** Returns the time of day as text, for use where no element is allowed. */
export const clockText = (of: string) => formats(areTimesUtc()).clock.format(new Date(of));

/** Returns the time of day to the minute, as text: `14:00`. */
export const hourText = (of: string) => formats(areTimesUtc()).hour.format(new Date(of));

/** Returns a day of this year and the time to the minute, as text: `Mon 23 Nov, 14:00`. */
export const momentText = (of: string) => formats(areTimesUtc()).moment.format(new Date(of));

/** The time of day, for use where the date is evident. */
export function TimeOfDay({ time }: { time: string }) {
  return <Time time={time}>{(date, isUtc) => formats(isUtc).clock.format(date)}</Time>;
}

function Time({ time, children }: { time: string; children: (date: Date, isUtc: boolean) => string }) {
  const isUtc = useAreTimesUtc();
  const date = new Date(time);
  return (
    <time dateTime={time} title={formats(isUtc).zoned.format(date)}>
      {children(date, isUtc)}
    </time>
  );
}

/** Formats a duration: `212 ms`, `15.2 s`, `3 min 4 s`, `2 h 5 min`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Returns the instant that many days from now, for the API. */
export function daysFromNow(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString();
}

/** Returns midnight of a day from `<input type="date">`; text that is not a day is returned unchanged. */
export function startOfDay(day: string): string {
  return toInstant(`${day}T00:00`) ?? day;
}

const minuteMs = 60_000;

/** Formats an instant for `<input type="datetime-local">`, in the selected time zone. */
export function localMinute(instant: string): string {
  const date = new Date(instant);
  const offsetMs = areTimesUtc() ? 0 : date.getTimezoneOffset() * minuteMs;
  return new Date(date.getTime() - offsetMs).toISOString().slice(0, 16);
}

/** Returns the instant of a text from `<input type="datetime-local">`; undefined if the text is not valid. */
export function toInstant(local: string): string | undefined {
  const date = new Date(areTimesUtc() ? `${local}Z` : local);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
