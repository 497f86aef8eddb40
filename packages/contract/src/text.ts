/** Whether a reader sees anything of a text: blanks, control and invisible characters alone say nothing. */
export const saysSomething = (text: string): boolean =>
  /[^\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text);
