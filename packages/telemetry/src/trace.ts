/** Never a name, a body, a value or a secret; undefined is left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A span as other processes name it. */
export interface TraceReference {
  /** 32 hexadecimal digits, not all of them 0. */
  readonly traceId: string;
  /** 16 of them. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** A span that has begun: what the work of a request, a step or a statement is part of. */
export interface Trace extends TraceReference {
  /** As the header `traceparent` has it. */
  readonly traceparent: string;
  set(attributes: Attributes): void;
  rename(name: string): void;
  /** Of an error only its code is kept, since messages repeat values; else a status, or a word of the code. */
  fail(error: unknown): void;
  /** It is no parent any more. What ended it, where that was an error. */
  end(error?: unknown): void;
}

const form = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Reads a `traceparent` of version 00; undefined where it is none. */
export function readTraceparent(text: string | null | undefined): TraceReference | undefined {
  const [, traceId, spanId, flags] = form.exec(text ?? '') ?? [];
  if (!traceId || !spanId || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags!, 16) & 1) === 1 };
}

export function writeTraceparent({ traceId, spanId, isSampled }: TraceReference): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}
