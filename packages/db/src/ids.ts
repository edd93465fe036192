import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

/** Number of random bytes per id. They are drawn for many ids at once, since each draw takes time. */
const idBytes = 16;
const pool = Buffer.alloc(idBytes * 512);
let used = pool.length;

let lastMs = 0;
let sequence = 0;

/** Returns a UUID version 7. Consecutive ids of a process ascend, even within a millisecond. */
export function newId(): string {
  const random = drawRandom();
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    // Only 31 random bits, so that there is room to count up.
    sequence = random.readUInt32BE(6) >>> 1;
  } else if (++sequence > 0xffff_ffff) {
    sequence = 0;
    lastMs++;
  }
  return v7({ random, msecs: lastMs, seq: sequence });
}

function drawRandom(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool.subarray(used, (used += idBytes));
}

/**
 * Returns the lowest UUID version 7 of a time, in milliseconds since 1970: every id created then or later is higher.
 * Times before 1970 count as 1970.
 */
export function firstIdAt(ms: number): string {
  const hex = Math.floor(Math.max(0, ms)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
