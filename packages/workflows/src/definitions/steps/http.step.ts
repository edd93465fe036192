import { longText } from '@relata/schemas';
import { z } from 'zod';
import { scanTemplate, urlTemplateProblem } from '@relata/expressions';
import { checkedText } from '../schemas/checked-text.schema.ts';
import { expressible, ExpressionText } from '../schemas/expressible.schema.ts';
import { stepKind } from './step-kind.ts';
import { jointly, strictObject } from '../schemas/strict-object.schema.ts';

const urlMax = 2_048;
const headersMax = 50;

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;
const isWithoutBody = new Set<unknown>(['GET', 'HEAD']);

/** Headers that the service sets, or that are meant for the connection (RFC 9110, section 7.6.1). */
const reservedHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'idempotency-key',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

function urlProblem(text: string): string | undefined {
  if (text.length > urlMax) return `Must have at most ${urlMax} characters.`;
  const parts = scanTemplate(text);
  // An unclosed expression is reported as a fault of the expression.
  return parts && urlTemplateProblem(parts.length > 0 ? parts : ['']);
}

const url = checkedText(urlProblem).meta({
  description:
    'An http or https address. Values of expressions are percent-encoded and cannot be part of the host. A ' +
    'URL that consists of one expression is used unchanged.',
  maxLength: urlMax,
});

const headerName = checkedText((name) => {
  if (reservedHeaders.has(name.toLowerCase())) return 'The service sets this header itself.';
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name) ? undefined : 'Must be the name of a header.';
});

const headerValue = z
  .string()
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'Must have no line breaks and no characters beyond Latin-1.')
  .max(4_096);

const headers = jointly(z.record(headerName, z.union([headerValue, ExpressionText])), (value) =>
  Object.keys(value).length > headersMax ? `Must have at most ${headersMax} headers.` : undefined,
);

const request = strictObject({
  method: expressible(z.enum(methods)),
  url,
  headers: expressible(headers).optional(),
  json: z.unknown().optional().meta({ description: 'Any value, sent as JSON.' }),
  body: expressible(longText()).optional().meta({ description: 'Text that is sent unchanged.' }),
});

function bodyProblem(value: Record<string, unknown>): string | undefined {
  const { method, json, body } = value;
  if (json !== undefined && body !== undefined) return 'Must have json or body, not both.';
  if (isWithoutBody.has(method) && (json !== undefined || body !== undefined))
    return `A ${String(method)} request must not have a body.`;
  return undefined;
}

export const httpRequest = stepKind({
  use: 'http.request',
  summary: 'Calls another system over HTTP.',
  example: {
    with: { method: 'POST', url: 'https://api.example.com/leads', json: { email: '${{ payload.email }}' } },
  },
  executor: 'network',
  with: jointly(request, bodyProblem),
  output: new Set(['status', 'headers', 'json', 'body']),
  rules: {
    url: { isUrl: true },
    headers: { hasSecrets: true },
    json: { hasSecrets: true },
    body: { hasSecrets: true },
  },
});
