/** So long after the last sign of a person, what the page asks for by itself is no use of their session. */
const attendedMs = 60_000;

/** A page is opened by somebody. */
let lastSignAt = Date.now();
for (const sign of ['pointerdown', 'pointermove', 'wheel', 'keydown'])
  addEventListener(sign, () => (lastSignAt = Date.now()), { capture: true, passive: true });

/** With it the server lets a session end that only an open page still uses. */
export function attendanceHeaders(): Record<string, string> {
  return Date.now() - lastSignAt > attendedMs ? { 'relata-unattended': '1' } : {};
}
