export { cleanJson } from './clean-text.ts';
export { compileCondition, isProblemList, readCondition } from './condition.ts';
export type { EvaluationContext } from './evaluation-context.ts';
export { sourceMax } from './expression.ts';
export { ExpressionError, type Problem } from './expression.error.ts';
export {
  afterStep,
  filterNames,
  type InputType,
  insideLoop,
  type Names,
  type StepOutput,
  workflowNames,
} from './names.ts';
export { hasExpression, opening, scanTemplate } from './template.scan.ts';
export { compileTemplate, type MemberRules, readTemplate } from './template.ts';
export { urlTemplateProblem } from './url.template.ts';
