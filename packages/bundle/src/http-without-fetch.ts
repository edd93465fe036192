import type { Plugin } from 'rolldown';

/**
 * An `import` of `node:http` reads all that it exports. One of them is `WebSocket`, for which Node loads its own `fetch` as a whole: 16 MB
 * of memory in each process. What is required instead is read when it is named.
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
