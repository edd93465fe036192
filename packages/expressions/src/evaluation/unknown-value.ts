/** An expression has read a value that is not known yet. Unlike an ExpressionError, no operator catches this error. */
export class UnknownValueError extends Error {
  override name = 'UnknownValueError';
}

/** Adds a member with an unknown value: reading it throws an UnknownValueError. */
export function defineUnknown(target: object, name: string): void {
  Object.defineProperty(target, name, { enumerable: true, configurable: true, get: refuse });
}

/** Copies an object without reading its unknown members, as a spread would do. */
export function copyWithUnknown(source: object): object {
  return Object.defineProperties({}, Object.getOwnPropertyDescriptors(source));
}

function refuse(): never {
  throw new UnknownValueError('The value is not known yet.');
}
