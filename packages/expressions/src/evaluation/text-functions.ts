import { countCharacters } from '@relata/schemas';
import { ExpressionError } from '../expression.error.ts';
import { type Frame, itemsMax } from './frame.ts';
import { type CelFunction, listArgument, textArgument, wholeArgument } from './function.ts';
import { isList, isMap, valueKind, type Value } from './value.ts';

/** Returns a method of a string that reads the whole string once, and charges `workPerCharacter` for that. */
function ofText(read: (text: string) => Value, workPerCharacter = 1 / 16): CelFunction {
  return ([receiver], frame) => {
    const text = textArgument(receiver);
    frame.charge(1 + text.length * workPerCharacter);
    const result = read(text);
    // Some letters become three letters when their case changes.
    if (typeof result === 'string') frame.chargeText(result.length);
    return result;
  };
}

function ofSearch(
  search: (text: string, wanted: string, start: number | undefined) => Value,
  isFromEnd = false,
): CelFunction {
  return ([receiver, second, third], frame) => {
    const [text, wanted] = [textArgument(receiver), textArgument(second)];
    frame.chargeSearch(text, wanted, isFromEnd);
    return search(text, wanted, third === undefined ? undefined : position(text, third));
  };
}

function position(text: string, argument: Value): number {
  const index = wholeArgument(argument);
  if (index < 0 || index > text.length) throw new ExpressionError('The position is outside the text.');
  return index;
}

function substring([receiver, from, to]: readonly Value[], frame: Frame): Value {
  const text = textArgument(receiver);
  const start = position(text, from!);
  const end = to === undefined ? text.length : position(text, to);
  if (end < start) throw new ExpressionError('The end position is before the start position.');
  frame.charge(1);
  return text.substring(start, end);
}

function split([receiver, separator, limit]: readonly Value[], frame: Frame): Value {
  const [text, by] = [textArgument(receiver), textArgument(separator)];
  const most = limit === undefined ? -1 : wholeArgument(limit);
  if (most === 0) return [];
  frame.chargeSearch(text, by);
  const parts = text.split(by, itemsMax + 1);
  frame.chargeItems(parts.length);
  if (most < 0 || parts.length <= most) return parts;
  const kept = parts.slice(0, most - 1);
  return [...kept, text.slice(kept.reduce((length, part) => length + part.length + by.length, 0))];
}

function join([receiver, separator]: readonly Value[], frame: Frame): Value {
  const by = separator === undefined ? '' : textArgument(separator);
  const list = listArgument(receiver);
  frame.chargeItems(list.length);
  const texts = list.map(textArgument);
  // The work is charged before the string is created, because the list may contain a long string many times.
  frame.chargeText(texts.reduce((sum, text) => sum + text.length + by.length, 0));
  return texts.join(by);
}

/** Counts the characters of a string, the items of a list, or the keys of an object. */
export function size([value]: readonly Value[], frame: Frame): Value {
  if (typeof value === 'string') {
    frame.charge(1 + value.length / 16);
    return BigInt(countCharacters(value));
  }
  if (isList(value!)) return BigInt(value.length);
  if (!isMap(value!))
    throw new ExpressionError(`size() needs a string, list or object, but got: ${valueKind(value!)}.`);
  return BigInt(frame.keysOf(value).length);
}

const lastIndexOf = (text: string, wanted: string, start: number | undefined): Value =>
  BigInt(start === undefined ? text.lastIndexOf(wanted) : text.lastIndexOf(wanted, start));

/** Work charged per character for a change of case: letters outside ASCII are looked up one by one. */
const caseWork = 1 / 2;

/** Methods of strings and lists, by name and number of arguments. */
export const textMethods: Readonly<Record<string, CelFunction>> = {
  'size/0': size,
  'startsWith/1': ofSearchedEnd((text, end) => text.startsWith(end)),
  'endsWith/1': ofSearchedEnd((text, end) => text.endsWith(end)),
  'contains/1': ofSearch((text, wanted) => text.includes(wanted)),
  'indexOf/1': ofSearch((text, wanted) => BigInt(text.indexOf(wanted))),
  'indexOf/2': ofSearch((text, wanted, start) => BigInt(text.indexOf(wanted, start))),
  'lastIndexOf/1': ofSearch(lastIndexOf, true),
  'lastIndexOf/2': ofSearch(lastIndexOf, true),
  'lowerAscii/0': ofText((text) => text.toLowerCase(), caseWork),
  'upperAscii/0': ofText((text) => text.toUpperCase(), caseWork),
  'trim/0': ofText((text) => text.trim()),
  'substring/1': substring,
  'substring/2': substring,
  'split/1': split,
  'split/2': split,
  'join/0': join,
  'join/1': join,
};

function ofSearchedEnd(test: (text: string, end: string) => boolean): CelFunction {
  return ([receiver, second], frame) => {
    const [text, end] = [textArgument(receiver), textArgument(second)];
    frame.charge(1 + end.length / 16);
    return test(text, end);
  };
}
