import { getExchange } from '@relata/http';
import type { Express } from 'express';
import { type OwnOrigin, requireOwnHost } from '../session/own-origin.ts';

/** Allows only files of this host, no inline code, and no conversion of text into HTML by scripts. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const headers = {
  'Content-Security-Policy': contentSecurityPolicy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  // With `no-referrer` some browsers would send us `Origin: null`.
  'Referrer-Policy': 'same-origin',
};

/** Adds headers that protect responses against other sites and injected code. Refuses requests for another host. */
export function addPageHeaders(app: Express, own: OwnOrigin): void {
  app.use((_request, response, next) => {
    getExchange(response).vary = 'Cookie';
    response.set(headers);
    next();
  });
  app.use('/console', (request, _response, next) => {
    requireOwnHost(request, own);
    next();
  });
}
