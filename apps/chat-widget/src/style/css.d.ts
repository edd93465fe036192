/** The build gives a style sheet as its text, without comments and spare spaces. */
declare module '*.css' {
  const text: string;
  export default text;
}
