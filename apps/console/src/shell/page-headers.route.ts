import { exchangeOf } from '@relata/http';
import type { Express } from 'express';
import { type OwnOrigin, requireOwnHost } from '../session/own-origin.ts';

/** Everything comes from here, nothing is written into a page, and scripts write no HTML. */
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
  // With `no-referrer` some browsers would say `Origin: null` to us.
  'Referrer-Policy': 'same-origin',
};

/** Puts on every answer what keeps other pages and other people's text out, and refuses what is meant for another host. */
export function addPageHeaders(app: Express, own: OwnOrigin): void {
  app.use((_request, response, next) => {
    exchangeOf(response).vary = 'Cookie';
    response.set(headers);
    next();
  });
  app.use('/console', (request, _response, next) => {
    requireOwnHost(request, own);
    next();
  });
}
