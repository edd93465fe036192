import type { Frame } from './frame.ts';
import { Duration, isList, isMap, isNumber, type MapValue, type Value } from './value.ts';

/** Compares two values by content. Values of different kinds are unequal, which is not an error. */
export function isEqual(a: Value, b: Value, frame: Frame): boolean {
  frame.charge(1);
  if (typeof a === 'string' && typeof b === 'string') return isSameText(a, b, frame);
  if (a === b) return true;
  if (isNumber(a) && isNumber(b)) return a <= b && a >= b;
  if (isList(a)) return isList(b) && a.length === b.length && a.every((item, i) => isEqual(item, b[i]!, frame));
  if (a instanceof Date) return b instanceof Date && a.getTime() === b.getTime();
  if (a instanceof Duration) return b instanceof Duration && a.ms === b.ms;
  return isMap(a) && isMap(b) && isSameMap(a, b, frame);
}

function isSameText(a: string, b: string, frame: Frame): boolean {
  if (a.length !== b.length) return false;
  frame.chargeText(a.length);
  return a === b;
}

function isSameMap(a: MapValue, b: MapValue, frame: Frame): boolean {
  const keys = frame.keysOf(a);
  if (keys.length !== frame.keysOf(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key]!, b[key]!, frame));
}
