import { type CelFunction, unfitArgument } from './function.ts';
import { Duration } from './value.ts';

const dayMs = 86_400_000;

function getter(ofInstant: (time: Date) => number, durationUnitMs?: number): CelFunction {
  return ([value], frame) => {
    frame.charge(1);
    if (value instanceof Date) return BigInt(ofInstant(value));
    if (value instanceof Duration && durationUnitMs !== undefined) return BigInt(Math.trunc(value.ms / durationUnitMs));
    throw unfitArgument(durationUnitMs === undefined ? 'a timestamp' : 'a timestamp or a duration', value);
  };
}

function dayOfYear(time: Date): number {
  const start = new Date(time.getTime());
  start.setUTCMonth(0, 1);
  return Math.round((time.getTime() - start.getTime()) / dayMs);
}

/**
 * Methods that return the parts of an instant in UTC, and the length of a duration. Other time zones are not supported:
 * each call would cost a thousand times as much.
 */
export const timeMethods: Readonly<Record<string, CelFunction>> = {
  'getFullYear/0': getter((time) => time.getUTCFullYear()),
  'getMonth/0': getter((time) => time.getUTCMonth()),
  'getDate/0': getter((time) => time.getUTCDate()),
  'getDayOfMonth/0': getter((time) => time.getUTCDate() - 1),
  'getDayOfWeek/0': getter((time) => time.getUTCDay()),
  'getDayOfYear/0': getter(dayOfYear),
  'getHours/0': getter((time) => time.getUTCHours(), 3_600_000),
  'getMinutes/0': getter((time) => time.getUTCMinutes(), 60_000),
  'getSeconds/0': getter((time) => time.getUTCSeconds(), 1_000),
  'getMilliseconds/0': getter((time) => time.getUTCMilliseconds(), 1),
};
