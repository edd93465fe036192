/** The build turns a style sheet into its text, without comments and unneeded spaces. */
declare module '*.css' {
  const text: string;
  export default text;
}
