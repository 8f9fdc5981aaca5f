declare module 'mjml' {
  /** Compiles a mail. The package has no types of its own. */
  export default function mjml2html(
    source: string,
    options: { validationLevel: 'strict'; fonts: Record<string, string> },
  ): Promise<{ html: string; errors: { message: string }[] }>;
}
