/**
 * Attributes of a span. They must not contain a name, a body, a value or a secret. Undefined attributes are omitted.
 */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A span as identified by other processes. */
export interface TraceReference {
  /** 32 hexadecimal digits, not all of them 0. */
  readonly traceId: string;
  /** 16 hexadecimal digits, not all of them 0. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** A started span, for a request, a step or a statement. */
export interface Trace extends TraceReference {
  /** Value for the header `traceparent`. */
  readonly traceparent: string;
  set(attributes: Attributes): void;
  rename(name: string): void;
  /**
   * Marks the span as failed, with the code of an error, a status or a fixed word. The message of an error is never
   * recorded, since it may contain values.
   */
  fail(error: unknown): void;
  /** Ends the span, with an error if its work failed. An ended span is no longer used as a parent. */
  end(error?: unknown): void;
}

/** Returns a trace id for a request or run without a span, made from `id`; undefined if `id` is not a UUID. */
export function toTraceId(id: string): string | undefined {
  if (!uuidForm.test(id)) return undefined;
  // Slicing is faster than replacing the dashes, and every request does this.
  return id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18) + id.slice(19, 23) + id.slice(24);
}

const uuidForm = /^(?!0{8}-)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const form = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Reads a `traceparent` of version 00; returns undefined for any other text. */
export function readTraceparent(text: string | null | undefined): TraceReference | undefined {
  const [, traceId, spanId, flags] = form.exec(text ?? '') ?? [];
  if (!traceId || !spanId || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags!, 16) & 1) === 1 };
}

export function writeTraceparent({ traceId, spanId, isSampled }: TraceReference): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}
