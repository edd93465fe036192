export interface ExportedSpan {
  service: string;
  resource: Record<string, unknown>;
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  isError: boolean;
  startMs: number;
  endMs: number;
}

type Field = number | bigint | Buffer;

/** Returns the fields of a Protocol Buffers message by number. A number can have several values. */
function fieldsOf(message: Buffer): Map<number, Field[]> {
  const fields = new Map<number, Field[]>();
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++]!;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const bytes = (length: number) => message.subarray(at, (at += length));
  const valueOf = (type: number): Field => {
    if (type === 0) return varint();
    if (type === 1) return bytes(8);
    return bytes(type === 5 ? 4 : Number(varint()));
  };
  while (at < message.length) {
    const tag = Number(varint());
    const value = valueOf(tag & 7);
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

const messages = (fields: Map<number, Field[]>, number: number) => (fields.get(number) ?? []) as Buffer[];
const textOf = (fields: Map<number, Field[]>, number: number) => messages(fields, number)[0]?.toString('utf8') ?? '';
const hexOf = (fields: Map<number, Field[]>, number: number) => messages(fields, number)[0]?.toString('hex') ?? '';
const msOf = (fields: Map<number, Field[]>, number: number) =>
  Number(messages(fields, number)[0]!.readBigUInt64LE() / 1_000n) / 1_000;

/**
 * Decodes the spans of an `ExportTraceServiceRequest`; field numbers are those of opentelemetry-proto's trace.proto.
 */
export function decodeSpans(body: Buffer): ExportedSpan[] {
  return messages(fieldsOf(body), 1).flatMap((resourceSpans) => {
    const fields = fieldsOf(resourceSpans);
    const resource = attributesOf(messages(fieldsOf(messages(fields, 1)[0]!), 1));
    const spans = messages(fields, 2).flatMap((scopeSpans) => messages(fieldsOf(scopeSpans), 2));
    return spans.map((span) => ({
      resource,
      service: String(resource['service.name']),
      ...decodeSpan(fieldsOf(span)),
    }));
  });
}

function decodeSpan(fields: Map<number, Field[]>) {
  const status = messages(fields, 15)[0];
  return {
    traceId: hexOf(fields, 1),
    spanId: hexOf(fields, 2),
    parentSpanId: hexOf(fields, 4),
    name: textOf(fields, 5),
    kind: Number(fields.get(6)?.[0] ?? 0),
    startMs: msOf(fields, 7),
    endMs: msOf(fields, 8),
    attributes: attributesOf(messages(fields, 9)),
    links: messages(fields, 13).map((link) => ({
      traceId: hexOf(fieldsOf(link), 1),
      spanId: hexOf(fieldsOf(link), 2),
    })),
    isError: status !== undefined && fieldsOf(status).get(3)?.[0] === 2n,
  };
}

function attributesOf(pairs: readonly Buffer[]): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const fields = fieldsOf(pair);
      return [textOf(fields, 1), valueOf(fieldsOf(messages(fields, 2)[0]!))];
    }),
  );
}

function valueOf(any: Map<number, Field[]>): unknown {
  const [[number, [value]]] = [...any] as [[number, [Field]]];
  if (number === 1) return (value as Buffer).toString('utf8');
  if (number === 2) return value === 1n;
  return number === 3 ? Number(value) : (value as Buffer).readDoubleLE();
}
