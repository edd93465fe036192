import type { Plugin } from 'rolldown';

/**
 * Replaces the import of `node:http` by a lookup at run time. An import reads all exports, among them `WebSocket`, for
 * which Node loads its whole `fetch`: 16 MB of memory in each process. With the lookup, an export is read only when it
 * is used.
 */
export const httpWithoutFetch: Plugin = {
  name: 'http-without-fetch',
  resolveId: { filter: { id: /^(node:)?http$/ }, handler: () => required },
  load: {
    filter: { id: /^\0required:http$/ },
    handler: () => ({ code: "module.exports = process.getBuiltinModule('node:http');", moduleType: 'js' }),
  },
};

const required = '\0required:http';
