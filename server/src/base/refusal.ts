/** A command, a job or a start cannot do what it was asked. The message is all that the operator needs to read. */
export class Refusal extends Error {}
