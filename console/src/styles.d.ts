/** A page imports its style sheet. */
declare module '*.css';
