/**
 * `node:http`, for programs that serve. An `import` of it reads everything it exports; among that is WebSocket, which
 * loads the client that `fetch` is made of: 13 MB resident for what most programs never use.
 */
export const nodeHttp = process.getBuiltinModule('node:http');
