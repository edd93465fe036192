/** Threads that this process has for look-ups of names, zlib and crypto together. */
export const poolThreads = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4);
