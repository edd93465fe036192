export type { Finding, KeysSetting } from './check.ts';
export { diagnose, isUnasked } from './diagnose.operations.ts';
