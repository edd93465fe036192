const wanted = {
  value: 'a value was expected',
  'value or ]': 'a value or ] was expected',
  key: 'a key in double quotes was expected',
  'key or }': 'a key in double quotes or } was expected',
  ':': ': was expected',
  ', or ]': ', or ] was expected',
  ', or }': ', or } was expected',
  'the end': 'nothing more was expected',
} as const;

/** Names of the tokens that may come next in JSON. */
export type Expected = keyof typeof wanted;

/** Text that is not JSON from `position` on. The message never quotes the text. */
export class JsonFaultError extends Error {
  override name = 'JsonFaultError';
  readonly position: number;

  constructor(expected: Expected, position: number) {
    super(wanted[expected]);
    this.position = position;
  }
}
