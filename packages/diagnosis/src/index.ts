export type { DiagnosisContext, Finding, KeysSetting, Level } from './check.ts';
export { diagnose, isUnasked } from './diagnose.operations.ts';
