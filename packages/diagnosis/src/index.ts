export type { DiagnosisContext, Finding, KeysSetting, Level } from './check.ts';
export { diagnose } from './diagnose.operations.ts';
