import {
  describeKind,
  findSignatureKind,
  type SenderKind,
  type SignatureKindName,
  signatureKinds,
  type SignatureSpec,
  toleranceMs,
} from '@relata/signatures';
import { recipes } from '../../../examples/senders/recipes.ts';
import { alignTable, fillPlace } from './markdown.ts';

/** Writes the table of all kinds into `docs/senders.md`. */
export const sendersPage = (present: string) =>
  fillPlace(present, 'kinds', alignTable(['Kind', 'Verified', 'Where', 'Time', 'Secret', 'Repeat key'], kindRows()));

function kindRows(): string[][] {
  return signatureKinds.map((name) => {
    const { secret, maker, repeatKey } = describeKind(name);
    const page = `[\`${name}\`](senders/${recipes[name].file}.md)`;
    const madeBy = secret.isOurs ? 'Relata' : maker;
    return [page, verifiedText(name), whereText(name), timeText(name), madeBy, repeatKey ? `\`${repeatKey}\`` : ''];
  });
}

/** Returns a kind with `NAME` in place of the values of its options. */
function nameOptions(kind: SignatureKindName): SenderKind {
  return findSignatureKind({ kind, options: { header: 'NAME', parameter: 'NAME', user: 'NAME' } } as SignatureSpec);
}

/** Describes the signed text. Uses a request of this kind with placeholders for the body, time, id and URL. */
function verifiedText(name: SignatureKindName): string {
  const kind = nameOptions(name);
  if (kind.proof === 'secret') return 'the secret';
  if (describeKind(name).optionTexts) return 'HMAC; text, algorithm and encoding are options';
  const claim = { signatures: [], timestamp: '{time}', id: '{id}' };
  const request = { method: 'POST', uris: () => ['{url}'], body: Buffer.from('{body}') };
  const [message] = kind.messages(request, claim);
  return `\`${message!.map(String).join('')}\`, HMAC-${kind.algorithm.toUpperCase().replace('SHA', 'SHA-')}, ${kind.encoding}`;
}

/** Returns the location of the signature or secret, usually a header, with the form of its value. */
function whereText(name: SignatureKindName): string {
  const kind = nameOptions(name);
  if (kind.proof === 'secret') return kind.place;
  if (describeKind(name).optionTexts) return '`--header`';
  const [value] = kind.formatSignature('…', { signatures: [], timestamp: '…', id: '…' });
  const families = kind.families.map(([header, ...others]) => [`${header}: ${value}`, ...others]);
  return families.map((headers) => headers.map((header) => `\`${header}\``).join(', ')).join(', or ');
}

/** Returns the accepted difference between our clock and the timestamp, if the timestamp is signed. */
export function timeText(name: SignatureKindName): string {
  const kind = nameOptions(name);
  if (kind.proof === 'secret') return 'none';
  if (describeKind(name).optionTexts) return `± ${toleranceMs / 60_000} min if signed`;
  return kind.writeTime ? `± ${toleranceMs / 60_000} min` : 'none';
}
