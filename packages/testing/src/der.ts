/** Tags from X.690 and, from `version` on, from RFC 5280. */
const tags = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
  version: 0xa0,
  dnsName: 0x82,
  address: 0x87,
  extensions: 0xa3,
};

/** Encodes a value in the Distinguished Encoding Rules: its tag, its length and its parts. */
export function der(tag: keyof typeof tags, ...parts: readonly (Uint8Array | readonly number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Uint8Array.from(part)));
  return Buffer.concat([Buffer.from([tags[tag], ...lengthBytes(content.length)]), content]);
}

/**
 * Encodes a length of up to 65,535: lengths up to 127 in one byte, longer ones in bytes that follow a byte with their
 * number.
 */
function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length];
  return length < 0x1_00 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

/** Encodes an object identifier, given by its bytes in hexadecimal. */
export const oid = (hex: string) => der('oid', Buffer.from(hex, 'hex'));

export const text = (value: string) => der('utf8', Buffer.from(value));

/** Encodes a time in ms since 1970, cut to whole seconds. The format covers only years up to 2049. */
export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/\D/g, '').slice(2, 14);
  return der('utcTime', Buffer.from(`${digits}Z`));
}
