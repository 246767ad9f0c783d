// Package destinations turns an event into a request in the format of another system, and reads its answer. A
// destination file or the settings of an automation define the format.
//
// Neither is trusted: values never change the structure of an address, a header or a body; jq runs within limits;
// and no error contains a secret or anything from an answer.
package destinations
